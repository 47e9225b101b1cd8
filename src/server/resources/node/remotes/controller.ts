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
import { answerLines, closingOf, type StreamRequest } from '../../../http/streams.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { RemotesService } from './service.ts';
import type {
  AddRemoteBody,
  CheckRemoteBody,
  PendingChangesView,
  RemoteAddressBody,
  RemoteCheckView,
  RemoteKeyBody,
  RemoteSettingsBody,
  RemotesView,
  RemoteView,
  RenameRemoteBody,
  SyncLineView,
  WatchLineView,
} from './wire.ts';

@Route('node')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class RemotesController {
  private readonly remotes: RemotesService;
  constructor(remotes: RemotesService) {
    this.remotes = remotes;
  }

  /**
   * Make a remote known. It is asked at once which node it is and whose the key is; that user becomes another name of
   * the operator's. Nothing is synced yet.
   */
  @Post('remotes')
  @SuccessResponse(201, 'Added')
  @Response<ErrorView>(409, 'The name is taken')
  @Response<ErrorView>(502, 'It does not answer')
  add(@Request() request: CallerRequest, @Body() body: AddRemoteBody): Promise<RemoteView> {
    return this.remotes.add(request.caller, body);
  }

  /** Ask an address which node it is and whose a key is, as adding it would. Nothing is kept. */
  @Post('remotes/check')
  @Response<ErrorView>(502, 'It does not answer')
  check(@Request() request: CallerRequest, @Body() body: CheckRemoteBody): Promise<RemoteCheckView> {
    return this.remotes.check(request.caller, body);
  }

  /** The remotes, and how things stand with each. */
  @Get('remotes')
  list(@Request() request: CallerRequest): Promise<RemotesView> {
    return this.remotes.list(request.caller);
  }

  /** How things stand with a remote. */
  @Get('remotes/{name}')
  @Response<ErrorView>(404, 'Not found')
  read(@Request() request: CallerRequest, @Path() name: string): Promise<RemoteView> {
    return this.remotes.read(request.caller, name);
  }

  /** Set how the node syncs with a remote by itself (whether, when, and how fast) and what of it comes here. */
  @Put('remotes/{name}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'What comes is to change while a sync with it is under way')
  configure(
    @Request() request: CallerRequest,
    @Path() name: string,
    @Body() body: RemoteSettingsBody,
  ): Promise<RemoteView> {
    return this.remotes.configure(request.caller, name, body);
  }

  /** Forget a remote. What was mirrored from it stays. */
  @Delete('remotes/{name}')
  @SuccessResponse(204, 'Removed')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'A sync with it is under way')
  remove(@Request() request: CallerRequest, @Path() name: string): Promise<void> {
    return this.remotes.remove(request.caller, name);
  }

  /** Give a remote another name. What was mirrored from it, and what waits to go there, stays as it is. */
  @Post('remotes/{name}/rename')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'The name is taken, or a sync with it is under way')
  rename(@Request() request: CallerRequest, @Path() name: string, @Body() body: RenameRemoteBody): Promise<RemoteView> {
    return this.remotes.rename(request.caller, name, body.name);
  }

  /**
   * Give another key for a remote, or none. The remote is asked at once whose it is; what is mirrored and what waits to go
   * there stays as it is.
   */
  @Put('remotes/{name}/key')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'It is another node than before, or a sync with it is under way')
  @Response<ErrorView>(502, 'It does not answer')
  rekey(@Request() request: CallerRequest, @Path() name: string, @Body() body: RemoteKeyBody): Promise<RemoteView> {
    return this.remotes.rekey(request.caller, name, body);
  }

  /**
   * Give another address for a remote. It is asked at once whether it is the same node there, and knows the key as the same
   * user's; what is mirrored and what waits to go there stays as it is.
   */
  @Put('remotes/{name}/address')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'It is another one there, or a sync with it is under way')
  @Response<ErrorView>(502, 'It does not answer')
  move(@Request() request: CallerRequest, @Path() name: string, @Body() body: RemoteAddressBody): Promise<RemoteView> {
    return this.remotes.move(request.caller, name, body);
  }

  /**
   * What differs from what a remote is known to have, and what the next sync would do with it. The remote is not asked.
   * @isInt after
   * @minimum after 0
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 200
   */
  @Get('remotes/{name}/pending')
  @Response<ErrorView>(404, 'Not found')
  pending(
    @Request() request: CallerRequest,
    @Path() name: string,
    @Query() after: number = 0,
    @Query() limit: number = 50,
  ): Promise<PendingChangesView> {
    return this.remotes.pending(request.caller, name, { after, limit });
  }

  /**
   * Begin a sync that goes on by itself, as `sync` does while it is read. How far it is, is the remote's `running`; what
   * it came to, its `last_run`.
   * @param accept_large_change as with `sync`
   */
  @Post('remotes/{name}/run')
  @SuccessResponse(202, 'Begun')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'A sync with it is under way')
  run(
    @Request() request: CallerRequest,
    @Path() name: string,
    @Query() accept_large_change: 'true' | 'false' = 'false',
  ): Promise<RemoteView> {
    return this.remotes.begin(request.caller, name, accept_large_change === 'true');
  }

  /**
   * End the sync that is under way, whoever began it. What it has done stays, and the next one goes on from there. Where the
   * remote is watched, that begins a minute later at the earliest, unless somebody asks for one.
   */
  @Post('remotes/{name}/stop')
  @Response<ErrorView>(404, 'Not found')
  stop(@Request() request: CallerRequest, @Path() name: string): Promise<RemoteView> {
    return this.remotes.stop(request.caller, name);
  }

  /**
   * Pull what is new, then push what was changed here. The answer is a stream of JSON lines: progress, and at the end
   * what was done. Closing the connection ends the sync; what it has done stays, and the next one goes on from there.
   * @param dry_run `true`: only say what would be done
   * @param accept_large_change `true`: go on where a run stops by itself, before very many deletions or changes, or where
   * the remote was reset or is another one
   */
  @Post('remotes/{name}/sync')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Synced')
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(409, 'A sync with it is under way')
  @Response<ErrorView>(502, 'It does not answer')
  sync(
    @Request() request: StreamRequest,
    @Path() name: string,
    @Query() dry_run: 'true' | 'false' = 'false',
    @Query() accept_large_change: 'true' | 'false' = 'false',
  ): Promise<SyncLineView> {
    const lines = this.remotes.sync(request.caller, name, {
      dryRun: dry_run === 'true',
      accept: accept_large_change === 'true',
      gone: closingOf(request),
    });
    return answerLines(request, lines, { lossy: (line) => line.progress !== undefined });
  }

  /**
   * Watch a remote for as long as the connection is open, whatever its setting says: the node syncs with it whenever
   * there is reason to. The answer is a stream of JSON lines: when the first sync begins, then one at the end of each.
   */
  @Post('remotes/{name}/watch')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Watched')
  @Response<ErrorView>(404, 'Not found')
  watch(@Request() request: StreamRequest, @Path() name: string): Promise<WatchLineView> {
    const lines = this.remotes.watch(request.caller, name, closingOf(request));
    return answerLines(request, lines, { lossy: () => true });
  }
}
