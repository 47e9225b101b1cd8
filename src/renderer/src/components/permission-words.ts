import type { Texts } from '../messages/translate.ts';

const verbs = [
  'create',
  'view',
  'update',
  'delete',
  'restore',
  'upload',
  'reupload',
  'download',
  'invoke',
  'manage',
] as const;
const things = ['*', 'entity', 'file', 'collection', 'folder', 'user', 'agent', 'klados', 'rhiza'] as const;

/** What a permission such as `entity:view` allows, in words; null for one that is rarely met, which is its own name. */
export function permissionWords(t: Texts['t'], action: string): string | null {
  const [of, does] = action.split(':');
  const thing = things.find((one) => one === of);
  const verb = verbs.find((one) => one === does);
  if (!thing || (!verb && does !== '*')) return null;
  const what = t(thing === '*' ? 'permission.of.anything' : `permission.of.${thing}`);
  return verb ? t('permission.words', { verb: t(`permission.verb.${verb}`), what }) : t('permission.all', { what });
}
