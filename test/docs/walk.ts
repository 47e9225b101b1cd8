import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { readyUrl } from '../../src/main/node-client.ts';
import { freePort } from '../helpers/free-port.ts';
import { differences, type Names } from './answers.ts';
import { type Fence, fences, type Page, root } from './pages.ts';

/** A block that a reader is to run (`sh`), and the answer that is shown right below it. */
export interface Step {
  line: number;
  script: string;
  answer: Fence | undefined;
}

export function steps(from: Page): Step[] {
  const all = fences(from);
  return all.flatMap((fence, index) => {
    if (fence.language !== 'sh') return [];
    const next = all[index + 1];
    const below = fence.line + fence.text.split('\n').length + 1;
    return [{ line: fence.line, script: fence.text, answer: next?.line === below ? next : undefined }];
  });
}

/**
 * A reader who runs the blocks of a page one after the other, in one shell, with the built program as `archeion`. What
 * pages keep below /tmp lies in a folder of its own, and their ports are others.
 */
export class Reader implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'archeion-docs-'));
  readonly #names: Names = new Map();
  readonly #nodes: ChildProcess[] = [];
  readonly #ports = new Map<string, string>();
  #environment: Record<string, string>;

  constructor() {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'archeion'), `#!/bin/sh\nexec '${process.execPath}' '${root}build/archeion.mjs' "$@"\n`);
    chmodSync(join(bin, 'archeion'), 0o755);
    this.#environment = {
      PATH: [bin, process.env.PATH ?? ''].join(delimiter),
      HOME: this.#folder,
      LANG: 'C.UTF-8',
      NODE_NO_WARNINGS: '1',
    };
  }

  /** What went otherwise than the page says; empty where nothing did. */
  async run({ script, answer }: Step): Promise<string[]> {
    for (const [port] of script.matchAll(/\b(?:474\d|9001)\b/g))
      if (!this.#ports.has(port)) this.#ports.set(port, String(await freePort()));
    const line = this.#here(script);
    if (/^archeion serve\b/.test(script)) return this.#serve(line);
    const after = join(this.#folder, 'environment');
    const child = spawn('bash', ['-c', `set -eao pipefail\n${line}\nenv -0 > '${after}'`], {
      cwd: root,
      env: { ...this.#environment, ...Object.fromEntries(this.#names) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) return [`It ended with ${code}: ${err}${out}`];
    this.#environment = Object.fromEntries(
      readFileSync(after, 'utf8')
        .split('\0')
        .filter((entry) => entry.includes('='))
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
    if (!answer) return [];
    const found = differences(answer.language, answer.text, this.#asWritten(out), this.#names);
    return found.length === 0 ? [] : [...found, `The whole answer is\n${out}`];
  }

  async #serve(line: string): Promise<string[]> {
    const node = spawn('bash', ['-c', `exec ${line}`], { cwd: root, env: this.#environment });
    this.#nodes.push(node);
    let said = '';
    node.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    for await (const text of createInterface({ input: node.stdout })) if (readyUrl(text)) return [];
    return [`The node did not start: ${said}`];
  }

  #here(text: string): string {
    const elsewhere = text.replaceAll('/tmp/', `${this.#folder}/`);
    return [...this.#ports].reduce((line, [port, own]) => line.replaceAll(port, own), elsewhere);
  }

  #asWritten(text: string): string {
    const there = text.replaceAll(`${this.#folder}/`, '/tmp/');
    return [...this.#ports].reduce((line, [port, own]) => line.replaceAll(`:${own}`, `:${port}`), there);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) {
      if (node.exitCode !== null || node.signalCode !== null) continue;
      const ended = once(node, 'exit');
      node.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
