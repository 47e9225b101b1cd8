import { asParameters, oneOf, pages, type Way } from './graph-statements.ts';

/** What an entity must be, beside live, for a walk to end there, and what must lead on from it. */
export interface Ends {
  /** Any if omitted. */
  types?: readonly string[] | undefined;
  leading?: Leading | undefined;
}

/** A relationship that leads on from an entity. */
export interface Leading {
  ways: readonly Way[];
  /** Any if omitted. */
  among?: number[] | undefined;
  /** To a live entity of these types; of any if omitted. */
  types?: readonly string[] | undefined;
  /** To one of these entities; to any if omitted. */
  to?: readonly number[] | undefined;
  /** To none of these. */
  notTo: readonly number[];
}

/** Pages of a node's relationships with what each leads to is (NodeFacts). */
export const withFacts = { sql: { out: factsIn('out', 'd.peer'), in: factsIn('in', 'd.source') } };

function factsIn(way: Way, key: string): string {
  return pages[way].replace(
    ' AS node FROM edge d',
    ` AS node, x.type, x.tip IS NOT NULL AND x.deleted = 0 AS live FROM edge d LEFT JOIN entity x ON x.key = ${key}`,
  );
}

/** Whether a walk may end at an entity, as SQL over its key. */
export function fitting(key: string, { types, leading }: Ends): { sql: string; params: (number | string)[] } {
  const parts = [live(key, types), ...(leading ? [leadingFrom(key, leading)] : [])];
  return { sql: parts.map(({ sql }) => sql).join(' AND '), params: parts.flatMap(({ params }) => params) };
}

function live(key: string, types: readonly string[] | undefined): { sql: string; params: string[] } {
  const typed = types ? ' AND x.type IN (SELECT value FROM json_each(?))' : '';
  return {
    sql: `EXISTS (SELECT 1 FROM entity x WHERE x.key = ${key} AND x.deleted = 0 AND x.tip IS NOT NULL${typed})`,
    params: types ? [JSON.stringify(types)] : [],
  };
}

function leadingFrom(
  key: string,
  { ways, among, types, to, notTo }: Leading,
): { sql: string; params: (number | string)[] } {
  const parts = ways.map((way) => {
    const [from, peer] = way === 'out' ? ['l.source', 'l.peer'] : ['l.peer', 'l.source'];
    const end = live(peer, types);
    const sql = [
      `SELECT 1 FROM edge l WHERE ${from} = ${key} AND ${peer} NOT IN (SELECT value FROM json_each(?))`,
      ...(among ? [`l.predicate ${oneOf(among)}`] : []),
      ...(to ? [`${peer} IN (SELECT value FROM json_each(?))`] : []),
      end.sql,
    ].join(' AND ');
    const params = [
      JSON.stringify(notTo),
      ...(among ? asParameters(among) : []),
      ...(to ? [JSON.stringify(to)] : []),
      ...end.params,
    ];
    return { sql: `EXISTS (${sql})`, params };
  });
  return { sql: `(${parts.map(({ sql }) => sql).join(' OR ')})`, params: parts.flatMap(({ params }) => params) };
}
