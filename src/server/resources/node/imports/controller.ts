import type { TextEncoding } from '../../../exchange/text-encoding.ts';
import {
  Body,
  Delete,
  Get,
  Path,
  Post,
  Produces,
  Put,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../../http/controller.ts';
import { answerLines, bodyOf, type StreamRequest } from '../../../http/streams.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { ImportPreviewService } from './preview-service.ts';
import type { ImportsService } from './service.ts';
import type { ImportUndoService } from './undo-service.ts';
import type {
  ImportLineView,
  ImportMadeView,
  ImportPreviewBody,
  ImportPreviewView,
  ImportRunsView,
  ImportView,
  StartImportBody,
  UndoLineView,
} from './wire.ts';

@Route('node')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class ImportsController {
  private readonly imports: ImportsService;
  private readonly previews: ImportPreviewService;
  private readonly undos: ImportUndoService;
  constructor(services: { imports: ImportsService; previews: ImportPreviewService; undos: ImportUndoService }) {
    this.imports = services.imports;
    this.previews = services.previews;
    this.undos = services.undos;
  }

  /**
   * The imports that there were, the newest first.
   * @param before `next` of the page before
   */
  @Get('imports')
  list(@Request() request: CallerRequest, @Query() before?: string): Promise<ImportRunsView> {
    return this.undos.list(request.caller, before);
  }

  /** What an import would make of the first records of a file, and what its columns hold. Nothing is written. */
  @Post('imports/preview')
  @SuccessResponse(200, 'What it would make')
  preview(@Request() request: CallerRequest, @Body() body: ImportPreviewBody): Promise<ImportPreviewView> {
    return this.previews.preview(request.caller, body);
  }

  /** What is left of what an import made: what an undo of it would delete, and what has changed since and would stay. */
  @Get('imports/{id}/made')
  @Response<ErrorView>(404, 'Not found')
  made(@Request() request: CallerRequest, @Path() id: string): Promise<ImportMadeView> {
    return this.undos.made(request.caller, id);
  }

  /**
   * Undo an import: what it made and nobody has changed since is deleted, and the collection too if it made that and
   * nothing else lies in it. The deletions stay in the history and can be taken back; importing the same file again brings
   * back what this deleted and nobody has changed since, also of an archive, and under its label the collection. An import
   * that is not ended yet takes no more files, and one of an archive that was broken off is not completed any more. The answer is a stream of JSON lines. One that was broken off is gone on with
   * by asking again.
   */
  @Post('imports/{id}/undo')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Undone')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'The import, another undo of it, or another import of what it may have made is at work')
  undo(@Request() request: StreamRequest, @Path() id: string): Promise<UndoLineView> {
    return answerLines(request, this.undos.undo(request.caller, id), { lossy: (line) => line.progress !== undefined });
  }

  /**
   * Start an import. Then PUT its files one after the other, and DELETE it at the end.
   *
   * Ids derive from the collection and the records, so that importing again changes nothing and goes on where an import
   * was interrupted. A changed record updates its entity, unless that was edited or deleted here, or
   * something else than an import made it.
   */
  @Post('imports')
  @SuccessResponse(201, 'Created')
  start(@Request() request: CallerRequest, @Body() body: StartImportBody): Promise<ImportView> {
    return this.imports.start(request.caller, body);
  }

  /** What became of an import's files so far. */
  @Get('imports/{id}')
  @Response<ErrorView>(404, 'Not found')
  read(@Request() request: CallerRequest, @Path() id: string): ImportView {
    return this.imports.read(request.caller, id);
  }

  /**
   * Import one file. The body is its bytes: NDJSON, a JSON array or CSV, each also packed with gzip; the name's ending
   * says which, else the first bytes. The answer is a stream of JSON lines: progress, and at the end what became of it.
   * `curl -T works.csv .../node/imports/{id}/files/`
   * @param name The file's name, for messages
   * @maxLength name 255
   * @param encoding In what it is written, where that is another one than the import's
   */
  @Put('imports/{id}/files/{name}')
  @Produces('application/x-ndjson')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'Another file of this import is being read, or one could not be, or it was undone')
  receive(
    @Request() request: StreamRequest,
    @Path() id: string,
    @Path() name: string,
    @Query() encoding?: TextEncoding,
  ): Promise<ImportLineView> {
    const lines = this.imports.receive(request.caller, id, name, bodyOf(request), { encoding });
    return answerLines(request, lines, { lossy: isProgress });
  }

  /**
   * Say that an import has ended, and forget it. What it has written stays.
   * @param ended `false`: it is given up. A file that is being read is not read any further, and the import counts as broken off
   */
  @Delete('imports/{id}')
  @SuccessResponse(204, 'Closed')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'A file is being read')
  close(
    @Request() request: CallerRequest,
    @Path() id: string,
    @Query() ended: 'true' | 'false' = 'true',
  ): Promise<void> {
    return this.imports.close(request.caller, id, ended === 'true');
  }

  /**
   * Import a single file without a mapping, in one request; body and answer as for the files of an import.
   * @param collection The collection's id or label
   * @minLength collection 1
   * @maxLength collection 200
   * @param type The type of every entity (default `record`)
   * @minLength type 1
   * @maxLength type 100
   * @param name The file's name, for its ending and for messages
   * @maxLength name 255
   * @param encoding In what it is written (default `utf-8`)
   */
  @Post('import')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Imported')
  single(
    @Request() request: StreamRequest,
    @Query() collection: string,
    @Query() type?: string,
    @Query() name: string = 'import',
    @Query() encoding?: TextEncoding,
  ): Promise<ImportLineView> {
    const lines = this.imports.single(
      request.caller,
      { collection, ...(type !== undefined && { type }), ...(encoding !== undefined && { encoding }) },
      name,
      bodyOf(request),
    );
    return answerLines(request, lines, { lossy: isProgress });
  }
}

/** Progress that is not read is out of date. */
function isProgress(line: ImportLineView): boolean {
  return line.progress !== undefined;
}
