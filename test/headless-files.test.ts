import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/server/config.ts';
import { table } from '../src/server/generated/routes.ts';
import { commandLine } from './helpers/command-line.ts';
import { temporaryFolder } from './helpers/node.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const analyzer = ['/usr/bin/systemd-analyze', '/bin/systemd-analyze'].find((path) => existsSync(path));

describe('the unit of systemd', () => {
  const text = readText('build/systemd/archeion.service');
  const unit: Record<string, Record<string, string[]>> = {};
  let section = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const head = /^\[(\w+)\]$/.exec(line)?.[1];
    if (head !== undefined) {
      section = head;
      unit[section] = {};
      continue;
    }
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    const values = unit[section];
    if (values) values[key] = [...(values[key] ?? []), value];
  }
  const service = unit.Service ?? {};

  test('starts the node as nobody else, who may write to its own folders alone', () => {
    expect(Object.keys(unit)).toEqual(['Unit', 'Service', 'Install']);
    expect(service).toMatchObject({
      ExecStart: ['/usr/local/bin/archeion serve'],
      DynamicUser: ['yes'],
      StateDirectory: ['archeion archeion-backup'],
      StateDirectoryMode: ['0700'],
      Environment: ['ARCHEION_DATA=%S/archeion', 'MALLOC_ARENA_MAX=2'],
      ProtectSystem: ['strict'],
      ProtectHome: ['yes'],
      NoNewPrivileges: ['yes'],
      CapabilityBoundingSet: [''],
    });
    // Node could not compile anything under it.
    expect(service.MemoryDenyWriteExecute).toBeUndefined();
  });

  test('lets the node write where the pages have its backups made', () => {
    const [folders = ''] = service.StateDirectory ?? [];
    const open = folders.split(' ').map((name) => `/var/lib/${name}/`);
    const named = [...readText('docs/operations.md').matchAll(/archeion backup (\S+) --data \/var\/lib\/archeion\b/g)];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(([, dir = '']) => !open.some((folder) => dir.startsWith(folder)))).toEqual([]);
  });

  test('starts again after a failure, but not with a setting that cannot be used, and asks once to stop', async () => {
    expect(service).toMatchObject({ Restart: ['on-failure'], KillMode: ['mixed'], KillSignal: ['SIGTERM'] });
    await using folder = await temporaryFolder();
    for (const args of [
      ['--port', 'x'],
      ['--host', '0.0.0.0'],
    ])
      expect(service.RestartPreventExitStatus).toEqual([
        `${(await commandLine(folder.path, ['serve', ...args])).code}`,
      ]);
    // Five seconds for running requests, and the transaction in hand.
    expect(Number(service.TimeoutStopSec?.[0])).toBeGreaterThanOrEqual(30);
  });

  test.runIf(analyzer)('has nothing in it that systemd does not know, and little that it may do', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'archeion.service');
    await writeFile(file, text.replace('/usr/local/bin/archeion', '/bin/true'));
    const analyze = (...args: string[]) => promisify(execFile)(analyzer ?? '', [...args, file]);
    expect((await analyze('verify')).stderr).toBe('');
    const { stdout } = await analyze('security', '--offline=true', '--no-pager');
    expect(Number(/exposure level for archeion\.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2);
  });
});

describe('the container file', () => {
  // A stage a FROM; continued lines are joined.
  const lines = readText('build/container/Containerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages = lines.reduce<string[][]>((all, line) => {
    if (line.startsWith('FROM ')) all.push([]);
    all.at(-1)?.push(line);
    return all;
  }, []);
  const last = stages.at(-1) ?? [];

  test('is made of what there is, on one image with a version', () => {
    expect(new Set(lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1])).size).toBe(1);
    const sources = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(sources).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'build/archeion.mjs']));
  });

  test('builds what it runs of nothing but the files that it copies', async () => {
    await using folder = await temporaryFolder();
    const [build, , run] = stages.map((_, i) => join(folder.path, `${i}`));
    /** Puts what a stage copies where it wants it; `from`: of the project, or of another stage. */
    const copies = async (stage: string[], from: (option: string | undefined) => string, to: string) => {
      for (const line of stage.filter((line) => line.startsWith('COPY '))) {
        const [, option, names = ''] = /^COPY (?:--from=(\w+) )?(.*)$/.exec(line) ?? [];
        const paths = names.split(' ');
        const target = paths.pop() ?? '';
        for (const path of paths)
          if (!path.endsWith('/node_modules'))
            await cp(join(from(option), path.replace('/app/', '')), join(to, target.endsWith('/') ? path : target), {
              recursive: true,
              filter: (source) => basename(source) !== 'generated',
            });
      }
      await symlink(join(root, 'node_modules'), join(to, 'node_modules'));
    };
    const [first = [], , third = []] = stages;
    await copies(first, () => root, build ?? '');
    const commands = first.filter((line) => /^RUN (?!npm ci$)/.test(line)).map((line) => line.slice('RUN '.length));
    expect(commands).toEqual(['npm run build']);
    await promisify(execFile)('npm', ['run', 'build'], { cwd: build });
    await copies(third, (option) => (option === 'build' ? (build ?? '') : root), run ?? '');
    const { stdout } = await promisify(execFile)(process.execPath, ['build/archeion.mjs', '--version'], { cwd: run });
    expect(stdout.trim()).toBe((JSON.parse(readText('package.json')) as { version: string }).version);
  }, 300_000);

  test('runs the node as somebody without rights, with settings that it knows', () => {
    expect(last.indexOf('USER node')).toBeLessThan(last.findIndex((line) => /^ENTRYPOINT/.test(line)));
    expect(last.slice(-2)).toEqual(['ENTRYPOINT ["archeion"]', 'CMD ["serve"]']);
    const env = Object.fromEntries(
      (last.find((line) => line.startsWith('ENV ')) ?? '')
        .split(/\s+/)
        .slice(1)
        .map((pair) => pair.split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>;
    const { config } = readConfig(env, {}, '/elsewhere');
    expect(config).toMatchObject({ data: '/data', host: '0.0.0.0', port: 4747 });
    expect(last).toContain('VOLUME /data');
    // A volume takes the owner of the folder that it is put on.
    expect(last.some((line) => /install -d -o node .* \/data \/backup$/.test(line))).toBe(true);
    expect(last).toContain(`EXPOSE ${config.port}`);
  });

  test('looks after it at an endpoint that there is, without a key', () => {
    const check = last.find((line) => line.startsWith('HEALTHCHECK ')) ?? '';
    const path = /\$\{process\.env\.ARCHEION_PORT\}(\/\w+)`/.exec(check)?.[1];
    expect(table.routes.find((route) => route.path === path)).toMatchObject({ method: 'get', caller: 'anyone' });
  });
});
