import {
  Controller,
  Get,
  NoSecurity,
  Path,
  Produces,
  Put,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../../http/controller.ts';
import { answerFile } from '../../../http/file-answer.ts';
import { type StreamRequest, uploadOf } from '../../../http/streams.ts';
import type { DownloadService } from '../../content/download-service.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { UploadsService } from './service.ts';
import type { UploadView } from './wire.ts';

@Route('node')
@Tags('Content')
@NoSecurity()
@Response<ErrorView>(404, 'Not found')
export class TransfersController extends Controller {
  private readonly uploads: UploadsService;
  private readonly downloads: DownloadService;
  constructor(services: { uploads: UploadsService; downloads: DownloadService }) {
    super();
    this.uploads = services.uploads;
    this.downloads = services.downloads;
  }

  /** How far an upload has come; as HEAD by the header `Upload-Offset` alone. */
  @Get('uploads/{token}')
  async state(@Path() token: string): Promise<UploadView> {
    return this.told(await this.uploads.state(token));
  }

  /**
   * Send the bytes of an upload to the address that POST content/upload-url or POST /files has given. The body is all of
   * them, or with `Content-Range: bytes 0-999/2000` (or `Upload-Offset: 0`) those that follow on what has come.
   */
  @Put('uploads/{token}')
  @Response<UploadView>(202, 'Bytes are missing')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(409, 'The upload stands at another offset')
  async receive(@Request() request: StreamRequest, @Path() token: string): Promise<UploadView> {
    const { 'content-range': range = null, 'upload-offset': offset = null } = request.headers;
    const view = await this.uploads.receive(token, {
      ...uploadOf(request),
      range,
      offset: offset === null ? null : String(offset),
      stop: () => request.destroy(),
    });
    if (!view.complete) this.setStatus(202);
    return this.told(view);
  }

  /** The bytes that GET /files/{id}/download has given the address of. */
  @Get('downloads/{token}')
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  @Response<void>(206, 'The range of them that was asked for')
  @Response<void>(304, 'The client has them')
  @Response<ErrorView>(412, 'If-Match names others')
  @Response<ErrorView>(416, 'The range lies beyond their end')
  async download(@Request() request: StreamRequest, @Path() token: string): Promise<void> {
    await answerFile(request, await this.downloads.openLink(request.caller, token));
  }

  private told(view: UploadView): UploadView {
    this.setHeader('Upload-Offset', String(view.offset));
    if (view.cid !== undefined) this.setHeader('ETag', `"${view.cid}"`);
    return view;
  }
}
