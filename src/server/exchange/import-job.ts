import { ValidationError } from '../errors.ts';
import { Steps } from '../loop/steps.ts';
import type { Network } from '../model/ids.ts';
import { type ImportCounts, type ImportReport, ImportTally } from './import-tally.ts';
import { type ImportItem, type ImportTarget, ImportWriter } from './import-writer.ts';
import { createIntake } from './intake.ts';
import { mapContext, ruleOf } from './map-record.ts';
import { type MappingOf, mapSource } from './map-source.ts';
import type { SourceRecord } from './record-place.ts';
import { readRecords } from './records.ts';
import type { TextEncoding } from './text-encoding.ts';
import { type UnmetField, UnmetFields } from './unmet-fields.ts';

/** A slice has at most so many entities, and is written early where their records hold so many bytes. */
const sliceSize = 24;
const sliceBytes = 4 * 1024 * 1024;
const progressMs = 500;
/** So many of one record's drafts are looked at in one step. */
const siftedAtOnce = 50;

/**
 * One import: its files, read one after the other, become entities of one collection. What is written stays: an import
 * that was interrupted goes on where another one reads the same files (decisions.md, Import).
 */
export class ImportJob {
  readonly #mappingOf: MappingOf;
  readonly #encoding: TextEncoding | undefined;
  readonly #context: ReturnType<typeof mapContext>;
  readonly #intake = createIntake();
  readonly #tally = new ImportTally();
  readonly #unmet = new UnmetFields();
  readonly #steps = new Steps();
  readonly #writer: ImportWriter;
  #batch: ImportItem[] = [];
  #batchBytes = 0;
  /** Records read, including those that could not be mapped. */
  #records = 0;

  constructor(target: ImportTarget, network: Network, mappingOf: MappingOf, encoding?: TextEncoding) {
    this.#mappingOf = mappingOf;
    this.#encoding = encoding;
    this.#context = mapContext(network, target.collection);
    this.#writer = new ImportWriter(target, this.#tally, this.#steps);
  }

  counts(): ImportCounts {
    return this.#tally.counts({ ...this.#intake.counts(), records: this.#records });
  }

  report(): ImportReport {
    return this.#tally.report({ ...this.#intake.counts(), records: this.#records });
  }

  /** Fields that the mapping names, and no record that could be mapped has had. */
  unmet(): UnmetField[] {
    return this.#unmet.list();
  }

  /**
   * Reads one file, in `encoding` where it is in another one than the import's others, and writes what is in it; yields twice a
   * second, so that progress can be told. Rejects with a ValidationError at the first record that cannot be read; what came before
   * it is written.
   */
  async *read(
    source: AsyncIterable<Uint8Array>,
    name: string,
    encoding = this.#encoding,
  ): AsyncGenerator<ImportCounts> {
    let told = performance.now();
    try {
      for await (const record of readRecords(source, name, encoding)) {
        await this.#map(record);
        if (this.#batch.length >= sliceSize || this.#batchBytes >= sliceBytes) await this.#write();
        if (this.#steps.due()) await this.#steps.next();
        if (performance.now() - told < progressMs) continue;
        yield this.counts();
        told = performance.now();
      }
    } finally {
      await this.#write();
      await this.#writer.settle();
    }
  }

  /** To be called when no file comes any more. */
  close(): void {
    this.#intake.close();
  }

  async #map(record: SourceRecord): Promise<void> {
    this.#records++;
    this.#batchBytes += record.size;
    try {
      const mapping = this.#mappingOf(record);
      const drafts = await this.#steps.through(mapSource(mapping, record, this.#context));
      const rule = ruleOf(mapping, record.record);
      if (rule && !mapping.isDefault) this.#unmet.look(mapping, rule, record.record);
      const { place } = record;
      for (let at = 0; at < drafts.length; at += siftedAtOnce) {
        if (this.#steps.due()) await this.#steps.next();
        const { passed, differing } = this.#intake.sift(drafts.slice(at, at + siftedAtOnce));
        for (const draft of passed) this.#batch.push({ draft, place });
        for (const one of differing) this.#tally.differing({ ...one, place });
      }
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      this.#tally.refused({ place: record.place, issues: error.issues });
    }
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    for (let at = 0; at < batch.length; at += sliceSize) await this.#writer.write(batch.slice(at, at + sliceSize));
  }
}
