import { Body, Post, Produces, Request, Response, Route, SuccessResponse, Tags } from '../../../http/controller.ts';
import { answerLines, leavingOf, type StreamRequest } from '../../../http/streams.ts';
import { fromThisMachine } from '../../../http/this-machine.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { UpkeepService } from './service.ts';
import type { BackupBody, BackupLineView, ReindexLineView, VerifyLineView } from './wire.ts';

@Route('node')
@Tags('Node')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
@Response<ErrorView>(503, 'Another one runs')
export class UpkeepController {
  private readonly upkeep: UpkeepService;
  constructor(upkeep: UpkeepService) {
    this.upkeep = upkeep;
  }

  /**
   * Verify the network: every block hashed again, every chain, every row that is derived from a version. The node goes
   * on working. A damaged file is set aside in the data folder and counts as missing from then on, so that it can come
   * again. The answer is a stream of JSON lines: progress, and at the end the report. Closing the connection ends it.
   */
  @Post('verify')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Verified')
  verify(@Request() request: StreamRequest): Promise<VerifyLineView> {
    const lines = this.upkeep.verify(request.caller, leavingOf(request));
    return answerLines(request, lines, { lossy: (line) => line.progress !== undefined });
  }

  /**
   * Copy everything into a new folder on the node's machine, while it works: all networks, accounts and keys. Only for
   * requests from that machine. `archeion restore` makes a data folder of it. The answer is a stream of JSON lines; closing the
   * connection ends it, and nothing of it is left.
   */
  @Post('backup')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Backed up')
  @Response<ValidationErrorView>(400, 'Validation failed')
  backup(@Request() request: StreamRequest, @Body() body: BackupBody): Promise<BackupLineView> {
    const [local, leaving] = [fromThisMachine(request), leavingOf(request)];
    const lines = this.upkeep.backup(request.caller, body.dir, { local, leaving });
    return answerLines(request, lines, { lossy: (line) => line.progress !== undefined });
  }

  /**
   * Make the network's search index anew. Searches go on meanwhile, and find what is in it again so far. The answer is a
   * stream of JSON lines.
   */
  @Post('reindex')
  @Produces('application/x-ndjson')
  @SuccessResponse(200, 'Indexed')
  reindex(@Request() request: StreamRequest): Promise<ReindexLineView> {
    return answerLines(request, this.upkeep.reindex(request.caller), { lossy: (line) => line.progress !== undefined });
  }
}
