import { Get, Query, Request, Response, Route, Tags } from '../../../http/controller.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { SyncLogService } from './service.ts';
import type { SyncEventKind, SyncLogView, SyncStateView } from './wire.ts';

@Route('node/sync')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class SyncLogController {
  private readonly sync: SyncLogService;
  constructor(sync: SyncLogService) {
    this.sync = sync;
  }

  /** What is open with each remote, in numbers that cost little. */
  @Get('state')
  state(@Request() request: CallerRequest): Promise<SyncStateView> {
    return this.sync.state(request.caller);
  }

  /**
   * What happened between this node and its remotes, newest first; the newest 20,000 entries are kept. A sync that found
   * nothing to do is none of them.
   * @param before Goes on below this entry
   * @param remote Only of this remote
   * @param kind Only entries of this kind
   * @param open `true`: only what went wrong or had to be looked at
   * @isInt before
   * @minimum before 1
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 200
   * @maxLength remote 50
   */
  @Get('log')
  log(
    @Request() request: CallerRequest,
    @Query() before?: number,
    @Query() limit: number = 50,
    @Query() remote?: string,
    @Query() kind?: SyncEventKind,
    @Query() open: 'true' | 'false' = 'false',
  ): Promise<SyncLogView> {
    const kinds = kind !== undefined ? [kind] : open === 'true' ? opened : [];
    return this.sync.log(request.caller, { before: before ?? null, limit, remote: remote ?? null, kinds });
  }
}

const opened = ['stopped', 'failed', 'conflict', 'refused'] as const;
