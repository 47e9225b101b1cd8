import type { BackedUpNetwork } from '../../store/backup/backup-manifest.ts';

/** The content of networks that is damaged: how much, and the CIDs of the first of it, in words. */
export function damagedOf(networks: readonly BackedUpNetwork[]): { count: number; named: string } {
  const count = networks.reduce((sum, { damaged_files = 0 }) => sum + damaged_files, 0);
  return {
    count,
    named: listed(
      networks.flatMap(({ damaged = [] }) => damaged),
      count,
    ),
  };
}

const mostNamed = 20;

/** The first of some names, and how many more there are. */
export function listed(names: readonly string[], all = names.length): string {
  const more = all > mostNamed ? `, and ${(all - mostNamed).toLocaleString('en')} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}
