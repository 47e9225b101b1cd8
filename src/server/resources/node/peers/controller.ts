import { answerBytes } from '../../../http/byte-answer.ts';
import {
  Body,
  Consumes,
  Get,
  Header,
  NoSecurity,
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
import { answerEvents } from '../../../http/event-answer.ts';
import { bodyOf, type StreamRequest } from '../../../http/streams.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { BlocksService } from './blocks-service.ts';
import type { HistoryService } from './history-service.ts';
import type { PushService } from './push-service.ts';
import type { EventStreamService, Streamed } from './stream-service.ts';
import type { BlocksBody, HistoryView, LiveIdsView, PushedView, TipsBody, TipsView } from './wire.ts';

/** What nodes ask of each other beyond the public interface. */
@Route('node')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not allowed')
export class PeersController {
  private readonly blocks: BlocksService;
  private readonly stream: EventStreamService;
  private readonly pushes: PushService;
  private readonly histories: HistoryService;
  constructor(services: {
    blocks: BlocksService;
    stream: EventStreamService;
    pushes: PushService;
    histories: HistoryService;
  }) {
    this.blocks = services.blocks;
    this.stream = services.stream;
    this.pushes = services.pushes;
    this.histories = services.histories;
  }

  /**
   * Take in versions as blocks, under the CIDs that they have. The body is a CAR of at most 32 MiB. Its root block is
   * `{archeion: "push", version: 1, instance, items: [{id, expect, tip}]}`: of up to 1,000 entities the tip that they have
   * here (null for none) and the one that they shall have; then the versions between, in any order. With `base` they begin
   * at that version, which the tip follows (null for all of it), and take the place of a tip that says the same and has a
   * lower number, or a greater CID. Each version is checked like a write of the caller. Others' versions are taken from who
   * may manage the collection, and from service accounts. Each item is answered by itself; sending it again does no harm.
   */
  @Post('sync/push')
  @Consumes('application/vnd.ipld.car')
  @Response<ErrorView>(413, 'Too large')
  push(@Request() request: StreamRequest): Promise<PushedView> {
    return this.pushes.push(request.caller, bodyOf(request));
  }

  /** The tips of up to 1,000 entities, as GET /entities/{id}/tip has them. */
  @Post('sync/tips')
  @NoSecurity()
  tips(@Request() request: CallerRequest, @Body() body: TipsBody): Promise<TipsView> {
    return this.blocks.tips(request.caller, body.ids);
  }

  /**
   * All entities of the network that are live and that the caller may view, a page at a time: what the listings of collections
   * do not have is among them.
   * @param after The `next` of the page before; without it the first one comes
   */
  @Get('sync/entities')
  @NoSecurity()
  live(@Request() request: CallerRequest, @Query() after?: EntityId): Promise<LiveIdsView> {
    return this.blocks.live(request.caller, after ?? '');
  }

  /**
   * What happened to an entity on this node: each move of its tip, and where it came from. Also versions that were
   * superseded are named; GET /versions/manifest/{cid} has them. For the operator.
   * @param before Only moves with a lower number
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   * @isLong before
   * @minimum before 1
   */
  @Get('history/{id}')
  @Response<ErrorView>(404, 'Not found')
  history(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() limit: number = 50,
    @Query() before?: number,
  ): Promise<HistoryView> {
    return this.histories.list(request.caller, id, limit, before);
  }

  /**
   * The change feed as it happens, as server-sent events. The first is `ready` (or `reset`, where what follows `after` has
   * left the feed or this feed never came so far: page back GET /events), then each `move` has its number as its id and
   * the form of an event of GET /events. A client that reads too slowly is cut off, and goes on with `after` or
   * `Last-Event-ID`. Comments are signs of life.
   * @param after The last event that the client has; without it only new ones come
   * @param network The network header's one if omitted
   * @param lastEventId The same as `after`, as browsers send it; it comes first
   * @isLong after
   * @minimum after 0
   * @pattern lastEventId ^[0-9]{1,15}$
   */
  @Get('events/stream')
  @NoSecurity()
  @SuccessResponse(200, 'The events', 'text/event-stream')
  @Response<ErrorView>(503, 'Too many clients follow the events')
  follow(
    @Request() request: StreamRequest,
    @Query() after?: number,
    @Query() network?: 'main' | 'test',
    @Header('Last-Event-ID') lastEventId?: string,
  ): Promise<string> {
    const last = lastEventId === undefined ? (after ?? null) : Number(lastEventId);
    const { caller } = request;
    return answerEvents(request, {
      events: (gone) => this.stream.follow(network ?? caller.network, caller.actor, last, gone),
      headers: {},
      failed: () => [],
      end: null,
      frame,
      beatMs: 15_000,
    });
  }

  /**
   * Versions as blocks, under the CIDs that they have here. The answer is a CAR. Its root block is
   * `{archeion: "blocks", version: 1, without: [{id, reason}], moved: [id]}`: what is not here or not to be seen by the
   * caller (`missing`, `forbidden`), and whose tip is another version than the wanted one. The versions follow, of each
   * stretch the newest first. An answer ends after some 4 MB: what is lacking then is asked for again, from the version
   * before the last one that came.
   */
  @Post('sync/blocks')
  @NoSecurity()
  @Produces('application/vnd.ipld.car')
  @SuccessResponse(200, 'The versions')
  async read(@Request() request: StreamRequest, @Body() body: BlocksBody): Promise<void> {
    const chunks = await this.blocks.start(request.caller, body.wants);
    await answerBytes(request, chunks, { 'Content-Type': 'application/vnd.ipld.car; version=1' });
  }
}

function frame({ event, id, data }: Streamed): string {
  if (event !== 'move') return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  return data.map((move) => `id: ${move.id}\nevent: move\ndata: ${JSON.stringify(move)}\n\n`).join('');
}
