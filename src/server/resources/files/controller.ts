import {
  Body,
  Get,
  NoSecurity,
  Path,
  Post,
  Produces,
  Put,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { answerFile } from '../../http/file-answer.ts';
import { StoredJson } from '../../http/stored-json.ts';
import { type StreamRequest, uploadOf } from '../../http/streams.ts';
import type { CallerRequest, HostRequest } from '../../model/caller.ts';
import type { DownloadService } from '../content/download-service.ts';
import type {
  CasBody,
  ConflictView,
  EntityId,
  ErrorView,
  ManifestView,
  UpdatedView,
  ValidationErrorView,
} from '../wire.ts';
import type { FilesService } from './service.ts';
import type {
  CreateFileBody,
  FileCreatedView,
  FileDownloadView,
  ReuploadBody,
  UpdateFileBody,
  UploadedConflictView,
} from './wire.ts';

@Route('files')
@Tags('Files')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class FilesController {
  private readonly files: FilesService;
  private readonly downloads: DownloadService;
  constructor(services: { files: FilesService; downloads: DownloadService }) {
    this.files = services.files;
    this.downloads = services.downloads;
  }

  /** Declare a file: an entity of type `file` with `uploaded: false`. Then POST its content. */
  @Post()
  @SuccessResponse(201, 'Created')
  async create(@Request() request: HostRequest, @Body() body: CreateFileBody): Promise<FileCreatedView> {
    const { manifest, url, expires } = await this.files.create(request.caller, body, request.headers.host ?? '');
    return { ...(manifest as ManifestView), upload_url: url, upload_expires_at: expires };
  }

  /** Read a file's metadata. */
  @Get('{id}')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<ManifestView> {
    return StoredJson.as<ManifestView>(await this.files.read(request.caller, id));
  }

  /** Change a file's metadata, or go back to the bytes of an earlier version by its `key`. */
  @Put('{id}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  async update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateFileBody,
  ): Promise<UpdatedView> {
    return (await this.files.update(request.caller, id, body)) as UpdatedView;
  }

  /**
   * Send a file's bytes: the body, with the declared size and `Content-Type`. Once; POST reupload comes before others.
   */
  @Post('{id}/content')
  @Response<ErrorView>(404, 'Not found')
  @Response<UploadedConflictView>(409, 'The file has its bytes')
  @Response<ErrorView>(413, 'More than 500 MB')
  async upload(@Request() request: StreamRequest, @Path() id: EntityId): Promise<UpdatedView> {
    const made = await this.files.upload(request.caller, id, uploadOf(request));
    return made instanceof Uint8Array ? StoredJson.as<UpdatedView>(made) : (made as UpdatedView);
  }

  /** A file's bytes. Ranges and conditions (`ETag` is their CID) are heeded. */
  @Get('{id}/content')
  @NoSecurity()
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  @Response<void>(206, 'The range of them that was asked for')
  @Response<void>(304, 'The client has them')
  @Response<ErrorView>(412, 'If-Match names others')
  @Response<ErrorView>(416, 'The range lies beyond their end')
  @Response<ErrorView>(404, 'Not found')
  async content(@Request() request: StreamRequest, @Path() id: EntityId): Promise<void> {
    await answerFile(request, await this.downloads.open(request.caller, id, {}, 'file'));
  }

  /** Declare other bytes for a file; then POST its content. */
  @Post('{id}/reupload')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  async reupload(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: ReuploadBody,
  ): Promise<UpdatedView> {
    return (await this.files.reupload(request.caller, id, body)) as UpdatedView;
  }

  /** Take what came to `upload_url` as the file's bytes. POST content needs no confirmation. */
  @Post('{id}/confirm-upload')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  async confirm(@Request() request: CallerRequest, @Path() id: EntityId, @Body() body: CasBody): Promise<ManifestView> {
    return (await this.files.confirm(request.caller, id, body)) as ManifestView;
  }

  /** Get an address that gives a file's bytes for five minutes. */
  @Get('{id}/download')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  link(@Request() request: HostRequest, @Path() id: EntityId): Promise<FileDownloadView> {
    return this.files.link(request.caller, id, request.headers.host ?? '');
  }
}
