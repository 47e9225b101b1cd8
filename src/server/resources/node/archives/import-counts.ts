import type { ArchiveFacts } from '../../../store/archive/archive-check.ts';
import type { ImportTally } from '../../../store/archive/archive-import.ts';
import type { Row } from '../../../store/commit.ts';
import type { BegunImport } from '../../../store/tasks.ts';
import type { CarImportView } from './wire.ts';

/** An import in the list of all, by the counts that imports of records have. */
export function runRow({ id, started, name }: BegunImport, tally: ImportTally | undefined): Row {
  return {
    kind: 'import_run',
    id,
    collection: null,
    made: false,
    started,
    files: name === null ? [] : [name],
    counts: countsIn(tally),
    ended: tally !== undefined,
  };
}

/** With what it had made before it was interrupted, which looks to what goes on as if it had been here before. */
export function withMade(tally: ImportTally, made: number): ImportTally {
  const before = Math.min(made, tally.unchanged);
  return { ...tally, created: tally.created + before, unchanged: tally.unchanged - before };
}

/** How far it is. */
export function countsIn(tally: ImportTally | undefined) {
  const { entities = 0, created = 0, advanced = 0, unchanged = 0, forks = 0 } = tally ?? {};
  return {
    ...{ records: entities, entities, relationships: 0, created, updated: advanced, unchanged },
    ...{ left_alone: forks, refused: 0, repeated: 0, differing: 0 },
  };
}

/** What is said once it is complete. */
export function summary(facts: ArchiveFacts, tally: ImportTally): Omit<CarImportView, 'run'> {
  const { partial, waiting, ...counts } = tally;
  const remarks: string[] = [];
  if (partial > 0)
    remarks.push(
      `The archive does not have the whole history of ${partial} entities; theirs starts here with a later version (the first: ${tally.partial_examples
        .slice(0, 3)
        .map(({ id, ver }) => `${id} with version ${ver}`)
        .join(', ')}).`,
    );
  if (tally.forks > waiting)
    remarks.push(
      `${tally.forks - waiting} entities were changed here and in the archive: theirs are listed as conflicts.`,
    );
  if (waiting > 0)
    remarks.push(
      `${waiting} entities were changed here and in the archive while what another archive has of them is listed as a conflict, which stays: decide these conflicts, and import this archive again to have its versions listed.`,
    );
  const { root, missing_files } = facts;
  if (missing_files > 0)
    remarks.push(
      `${missing_files} ${missing_files === 1 ? 'file that its versions name is' : 'files that its versions name are'} not here and did not come with it: a package or a sync that has them brings them.`,
    );
  return { root, ...counts, missing_files, remarks };
}
