import fc, { type Command } from 'fast-check';
import { Random } from './random.ts';
import { type Happening, type Outcome, Simulation, weights } from './simulation.ts';

interface Real {
  simulation: Simulation;
}

/** One thing that happens. Its chance is its own, so that the rest stays as it is when another one is left out. */
class Step implements Command<object, Real> {
  readonly happening: Happening;
  readonly chance: number;

  constructor(happening: Happening, chance: number) {
    this.happening = happening;
    this.chance = chance;
  }

  check(): boolean {
    return true;
  }

  run(_model: object, { simulation }: Real): void {
    simulation.play(this.happening, new Random(this.chance));
  }

  toString(): string {
    return `${this.happening}(${this.chance})`;
  }
}

const chance = fc.noShrink(fc.nat());
const happening = fc.oneof(
  ...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Happening) })),
);
const step = fc.tuple(happening, chance).map(([name, of]) => new Step(name, of));

/**
 * Whatever happens between three nodes and a remote, in up to `steps` steps: nothing is lost, no lie is kept, and all
 * agree in the end. `ended` is told what each run came to. What breaks it is made as short as it can be.
 */
export function nothingIsLost(steps: number, ended: (outcome: Outcome, steps: number) => void = () => undefined) {
  const worlds = fc.record({ links: chance, end: chance });
  return fc.property(worlds, fc.commands([step], { maxCommands: steps, size: 'max' }), (world, commands) => {
    const simulation = new Simulation(new Random(world.links));
    let played = 0;
    for (const _ of commands) played++;
    fc.modelRun(() => ({ model: {}, real: { simulation } }), commands);
    const outcome = simulation.end(new Random(world.end));
    ended(outcome, played);
    if (outcome.broken.length > 0) throw new Error(outcome.broken.slice(0, 5).join('\n'));
  });
}
