import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

// What the program is made of: every package by the digest of its bytes, and a list of them for whoever has to know.

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  inBundle?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  optional?: boolean;
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
  allowScripts: Record<string, boolean>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked & Partial<Manifest>> };
const installed = Object.entries(packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  test('has the digest of every package, and takes none from elsewhere than the registry', () => {
    expect(installed.length).toBeGreaterThan(100);
    const unpinned = installed.filter(([, one]) => !one.inBundle && !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? ''));
    expect(unpinned.map(([path]) => path)).toEqual([]);
    const elsewhere = installed.filter(
      ([, { resolved, link }]) =>
        link || (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });

  test('is of what package.json asks for', () => {
    expect(packages['']).toMatchObject({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    });
    const wanted = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(wanted.filter((range) => !/^[\^~]?\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  test('lets no package but those that are named run anything when it is installed', () => {
    const named = new Set(Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`));
    const running = installed.filter(([path, one]) => one.hasInstallScript && !one.optional && !named.has(path));
    expect(running.map(([path]) => path)).toEqual([]);
  });
});

test('whatever builds the program installs what is locked', () => {
  const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);
  for (const path of ['.ci/run', 'build/container/Containerfile', ...workflows]) {
    const text = read(path);
    expect(text, path).toContain('npm ci');
    expect(text, path).not.toMatch(/npm (?:install|i|update)\b/);
  }
});

interface Property {
  name: string;
  value: string;
}

/** Within another package, whose digest is its own too. */
const isBundled = (properties: Property[]) => properties.some(({ name }) => name === 'cdx:npm:package:bundled');

test('`npm run sbom` lists every package, each with its digest', {
  timeout: 120_000,
}, async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
    cwd: root,
    maxBuffer: 64 * 2 ** 20,
    shell: process.platform === 'win32',
  });
  const bom = JSON.parse(stdout) as {
    bomFormat: string;
    metadata: { component: { version: string; purl: string } };
    components: { purl: string; hashes?: { alg: string }[]; properties?: Property[] }[];
  };
  expect(bom.bomFormat).toBe('CycloneDX');
  expect(bom.metadata.component.purl).toMatch(/^pkg:npm\/archeion@/);
  const listed = new Set(bom.components.map(({ purl }) => decodeURIComponent(purl)));
  const missing = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    (name) => !listed.has(`pkg:npm/${name}@${packages[`node_modules/${name}`]?.version}`),
  );
  expect(missing).toEqual([]);
  const nameless = bom.components.filter(
    ({ hashes, properties = [] }) => !hashes?.some(({ alg }) => alg === 'SHA-512') && !isBundled(properties),
  );
  expect(nameless.map(({ purl }) => purl)).toEqual([]);
});
