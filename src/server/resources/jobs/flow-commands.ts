import { ForbiddenError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { commandOf } from '../../model/endpoints.ts';
import { networkOf } from '../../model/ids.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding } from '../../store/entities.ts';
import { findJobHead } from '../../store/jobs/jobs.ts';
import { type FlowKladoi, flowKladoi, isTooLarge } from './flow-kladoi.ts';
import type { Launcher } from './launcher.ts';

/**
 * Which commands of this machine a workflow must not start: whoever starts it, or all who wrote the workflows that name one, have to
 * be let invoke it by its own permissions, and have written them on this node. Else everybody could run the operator's commands, by a
 * workflow of their own, or one of another node that names whom it likes (decisions.md, Processors; what a klados of somebody's service is
 * asked for is that service's to refuse).
 */
export function forbiddenCommands(
  { writes, needs }: Launcher,
  db: Reader,
  actor: RegisteredActor,
  { kladoi, authorsOf }: Pick<FlowKladoi, 'kladoi' | 'authorsOf'>,
): FlowKladoi['issues'] {
  const may = (who: RegisteredActor, one: FlowKladoi['kladoi'][number]) =>
    writes.env.permissions.may(db, who, 'klados:invoke', one.standing);
  const author = (id: string | null): RegisteredActor | null => {
    if (id === null) return null;
    const account = needs.identity.accountById(id);
    return account && { kind: 'user', id, ids: account.ids[networkOf(id)], operator: account.operator };
  };
  return kladoi
    .filter(({ endpoint }) => commandOf(endpoint) !== null)
    .filter((one) => {
      if (may(actor, one)) return false;
      const writers = authorsOf(one.id).map(author);
      return writers.length === 0 || !writers.every((who) => who !== null && may(who, one));
    })
    .map(({ id }) => ({
      id,
      reason:
        'not_allowed: neither who starts the workflow nor who wrote it last on this node may invoke this command (klados:invoke). Have it saved by somebody who may',
    }));
}

/**
 * Whoever repeats a part of a run begins its commands anew, as whoever starts its workflow does. `kladoi`: those of the run.
 * @throws ForbiddenError where they may not begin one, by itself or by the workflow
 */
export function requireCommands(
  launcher: Launcher,
  db: Reader,
  actor: RegisteredActor,
  run: string,
  kladoi: FlowKladoi['kladoi'],
): void {
  const alone = forbiddenCommands(launcher, db, actor, { kladoi, authorsOf: () => [] });
  if (alone.length === 0) return;
  const [forbidden] = forbiddenCommands(launcher, db, actor, {
    kladoi,
    authorsOf: authorsFor(launcher, db, actor, run),
  });
  if (forbidden)
    throw new ForbiddenError(
      `Action not allowed: klados:invoke. The job may hand on to the command ${forbidden.id}, which you may start neither by itself nor by the workflow of the run: ask somebody who may to repeat it.`,
    );
}

/** Who wrote what leads to the kladoi of a run's workflow, where the one who asks may start that. */
function authorsFor(
  { writes, needs }: Launcher,
  db: Reader,
  actor: RegisteredActor,
  run: string,
): FlowKladoi['authorsOf'] {
  const id = findJobHead(db, run)?.rhiza;
  const rhiza = id && !isTooLarge(db, id) ? findStanding(db, id) : undefined;
  if (!rhiza || rhiza.deleted || !writes.env.permissions.may(db, actor, 'rhiza:invoke', rhiza)) return () => [];
  return flowKladoi(db, rhiza, needs.isVerified).authorsOf;
}
