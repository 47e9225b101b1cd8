import { answerBytes, answerHead } from '../../../http/byte-answer.ts';
import {
  Body,
  Delete,
  Get,
  Path,
  Post,
  Produces,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../../http/controller.ts';
import { answerLines, bodyOf, leavingOf, type StreamRequest } from '../../../http/streams.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { CarImportService } from './car-import-service.ts';
import type { ExportService, ExportWish } from './export-service.ts';
import type { PreparedExportsService } from './prepared-service.ts';
import type { CarImportLineView, PreparedExportView, PrepareExportBody } from './wire.ts';

@Route('node')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class ArchivesController {
  private readonly exports: ExportService;
  private readonly imports: CarImportService;
  private readonly prepared: PreparedExportsService;
  constructor(services: {
    exports: ExportService;
    carImports: CarImportService;
    prepared: PreparedExportsService;
  }) {
    this.exports = services.exports;
    this.prepared = services.prepared;
    this.imports = services.carImports;
  }

  /**
   * Export a network, a collection or an entity, by default as a CAR file: every version of each history under its CID,
   * deleted entities too, with an index that reaches them all from the root. It is the state of one moment, whatever is
   * written meanwhile. Headers of the answer: `X-Archeion-Entities` (of a table those that it has), `X-Archeion-Checkpoint` for `since` of a later export,
   * `X-Archeion-Missing-Files`, how many files its versions name that are not here, and `X-Archeion-Left-Out-Versions`, how
   * many versions are here and in no history: others' in open conflicts, those that a decision has left beside, and what was here
   * before a service that is no node made its own of it. Where the answer breaks off, GET /node/exports/{id} with the id in `X-Archeion-Export` says why (`error`).
   * @param format `car`; `ndjson`: one version a line as GET /entities/{id} answers it, for scripts; `csv`: a table of the
   * live entities; `bagit`: a bag (RFC 8493) and `ro-crate`: a crate (RO-Crate 1.2), each a ZIP with the archive, the lines
   * and the files, which POST /node/import-car takes as well
   * @param collection Only the collection and what is in it; deleted entities that were
   * @param entity Only this entity
   * @param history Every version, or of each entity the newest alone
   * @param since A checkpoint of an earlier export of the same: what had been written then is left out
   */
  @Get('export')
  @Produces('application/vnd.ipld.car')
  @SuccessResponse(200, 'The archive')
  @Response<ErrorView>(404, 'Not found')
  export(
    @Request() request: StreamRequest,
    @Query() format: string = 'car',
    @Query() collection?: EntityId,
    @Query() entity?: EntityId,
    @Query() history: 'all' | 'tip' = 'all',
    @Query() since?: string,
  ): Promise<void> {
    return this.answer(request, { format, collection, entity, history, since });
  }

  /**
   * Prepare an export, to be fetched as a file by its address: GET /node/exports/{id}/file, once, within an hour. It is
   * the state of this moment.
   */
  @Post('exports')
  @SuccessResponse(201, 'Prepared')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(503, 'Too many exports are on their way')
  prepare(@Request() request: CallerRequest, @Body() body: PrepareExportBody): Promise<PreparedExportView> {
    return this.prepared.prepare(request.caller, body);
  }

  /** How far a prepared export has come; of any that broke off or was stopped, why. */
  @Get('exports/{id}')
  @Response<ErrorView>(404, 'Not found')
  preparedState(@Request() request: CallerRequest, @Path() id: string): PreparedExportView {
    return this.prepared.state(request.caller, id);
  }

  /** The bytes of a prepared export, as a file to be saved. */
  @Get('exports/{id}/file')
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The file')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'It has been fetched already, or was stopped')
  async fetchPrepared(@Request() request: StreamRequest, @Path() id: string): Promise<void> {
    if (request.method === 'HEAD') return answerHead(request, this.prepared.headers(request.caller, id));
    const { chunks, headers } = this.prepared.fetch(request.caller, id);
    await answerBytes(request, chunks, headers);
  }

  /** Stop a prepared export; one that has ended stays as it is. */
  @Delete('exports/{id}')
  @SuccessResponse(204, 'Stopped')
  @Response<ErrorView>(404, 'Not found')
  stopPrepared(@Request() request: CallerRequest, @Path() id: string): Promise<void> {
    return this.prepared.stop(request.caller, id);
  }

  /**
   * Export what an earlier archive does not have. The body is that archive, or its index alone (the blocks of root and
   * shards as a CAR with the same roots). The answer has a second root, which says what it leaves out.
   * @param format `car` alone: of the others none leaves out what is in an archive
   * @param collection See GET /node/export
   * @param entity See GET /node/export
   * @param history As in the earlier archive
   */
  @Post('export')
  @Produces('application/vnd.ipld.car')
  @SuccessResponse(200, 'The archive')
  @Response<ErrorView>(404, 'Not found')
  exportSince(
    @Request() request: StreamRequest,
    @Query() format: string = 'car',
    @Query() collection?: EntityId,
    @Query() entity?: EntityId,
    @Query() history: 'all' | 'tip' = 'all',
  ): Promise<void> {
    return this.answer(request, { format, collection, entity, history, since: undefined }, bodyOf(request));
  }

  private async answer(request: StreamRequest, wish: ExportWish, earlier?: AsyncGenerator<Uint8Array>): Promise<void> {
    const started = await this.exports.start(request.caller, wish, earlier);
    const { chunks, headers } = this.prepared.direct(request.caller, started);
    await answerBytes(request, chunks, headers);
  }

  /**
   * Import a CAR file, a bag or a crate that an export made. It is verified whole before anything is written; an entity that is here moves
   * on where the archive's tip descends from its own, and stays where both changed: then it is listed as a conflict.
   * The body is the file's bytes. The answer is a stream of JSON lines: progress, and at the end what became of it.
   * Where verifying takes longer than 15 seconds it begins meanwhile, by spaces before the first line; what is wrong with the file
   * is then its last line, and otherwise a 400.
   * A client that closes the connection before it is verified ends it, and nothing is imported; after that it goes on. The first line,
   * of no entities yet, says that it does.
   * Where the node stops in between, its next start completes the import. POST /node/imports/{run}/undo deletes what it made.
   * @param name The file's name, for the list of imports
   * @maxLength name 255
   */
  @Post('import-car')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Imported')
  @Response<ErrorView>(503, 'Another import of an archive or a backup runs')
  importCar(@Request() request: StreamRequest, @Query() name?: string): Promise<CarImportLineView> {
    const lines = this.imports.receive(request.caller, bodyOf(request), leavingOf(request), name);
    return answerLines(request, lines, { lossy: (line) => line.progress !== undefined });
  }
}
