import {
  Body,
  Delete,
  Get,
  Header,
  NoSecurity,
  Patch,
  Path,
  Post,
  Produces,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { answerFile } from '../../http/file-answer.ts';
import { type StreamRequest, uploadOf } from '../../http/streams.ts';
import type { CallerRequest, HostRequest } from '../../model/caller.ts';
import type { ConflictView, EntityId, ErrorView, ValidationErrorView, VersionCid } from '../wire.ts';
import type { DownloadService } from './download-service.ts';
import type { ContentService } from './service.ts';
import type {
  CompleteUploadBody,
  ContentRemovedView,
  ContentRenamedView,
  ContentWrittenView,
  RenameContentBody,
  UploadUrlBody,
  UploadUrlView,
} from './wire.ts';

@Route('entities')
@Tags('Content')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
export class ContentController {
  private readonly content: ContentService;
  private readonly downloads: DownloadService;
  constructor(services: { content: ContentService; downloads: DownloadService }) {
    this.content = services.content;
    this.downloads = services.downloads;
  }

  /**
   * Store bytes under a key of an entity. The body is the bytes, `Content-Type`, which is required, says of which type they
   * are. The same key again takes the place of the earlier content, which its CID still names; with `If-None-Match: *`
   * that is refused, and what is there stays.
   * @minLength key 1
   * @maxLength key 255
   * @maxLength filename 255
   */
  @Post('{id}/content')
  @Response<ErrorView>(412, 'If-None-Match: there is content under this key')
  @Response<ErrorView>(413, 'More than 500 MB')
  write(
    @Request() request: StreamRequest,
    @Path() id: EntityId,
    @Query() key: string,
    @Query() filename?: string,
    @Header('If-None-Match') ifNoneMatch?: string,
  ): Promise<ContentWrittenView> {
    const isNew = ifNoneMatch?.trim() === '*';
    return this.content.write(request.caller, id, { key, filename, isNew }, uploadOf(request));
  }

  /**
   * The bytes of an entity: under a key, or with a CID that it or an earlier version of it holds; without either the
   * file's own, or what came last. Ranges and conditions (`ETag` is the CID) are heeded.
   */
  @Get('{id}/content')
  @NoSecurity()
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  @Response<void>(206, 'The range of them that was asked for')
  @Response<void>(304, 'The client has them')
  @Response<ErrorView>(412, 'If-Match names others')
  @Response<ErrorView>(416, 'The range lies beyond their end')
  async read(
    @Request() request: StreamRequest,
    @Path() id: EntityId,
    @Query() key?: string,
    @Query() cid?: string,
  ): Promise<void> {
    await answerFile(request, await this.downloads.open(request.caller, id, { key, cid }));
  }

  /** Give content another key. The bytes stay. */
  @Patch('{id}/content')
  @Response<ConflictView>(409, 'The tip is another one')
  rename(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: RenameContentBody,
  ): Promise<ContentRenamedView> {
    return this.content.rename(request.caller, id, body);
  }

  /**
   * Take content from an entity, by key or by CID. Earlier versions keep it.
   * @minLength key 1
   * @maxLength key 255
   */
  @Delete('{id}/content')
  @Response<ConflictView>(409, 'The tip is another one')
  remove(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() expect_tip: VersionCid,
    @Query() key?: string,
    @Query() cid?: string,
  ): Promise<ContentRemovedView> {
    return this.content.remove(request.caller, id, { key, cid }, expect_tip);
  }

  /** Get an address that takes the bytes of a CID by PUT, for 15 minutes; then POST content/complete. */
  @Post('{id}/content/upload-url')
  uploadUrl(
    @Request() request: HostRequest,
    @Path() id: EntityId,
    @Body() body: UploadUrlBody,
  ): Promise<UploadUrlView> {
    return this.content.uploadUrl(request.caller, id, body, request.headers.host ?? '');
  }

  /** Store content whose bytes have been uploaded. */
  @Post('{id}/content/complete')
  @Response<ConflictView>(409, 'The tip is another one')
  complete(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: CompleteUploadBody,
  ): Promise<ContentWrittenView> {
    return this.content.complete(request.caller, id, body);
  }
}
