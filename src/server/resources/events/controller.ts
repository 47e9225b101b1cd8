import { Get, NoSecurity, Query, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { ErrorView, ValidationErrorView } from '../wire.ts';
import type { EventsService } from './service.ts';
import type { EventsView } from './wire.ts';

@Route('events')
@Tags('Events')
@NoSecurity()
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
export class EventsController {
  private readonly events: EventsService;
  constructor(events: EventsService) {
    this.events = events;
  }

  /**
   * The change feed of the last 30 days, newest first; with `since` oldest first. A poll passes the highest id that it has
   * seen as `since`, and 0 where it has seen none.
   * @param cursor The same as `until`
   * @param network The network header does not count here
   * @param since Events with an id above it, in ascending order
   * @param until Events with an id below it
   * @isLong cursor
   * @minimum cursor 1
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   * @isLong since
   * @minimum since 0
   * @isLong until
   * @minimum until 1
   */
  @Get()
  async list(
    @Query() cursor?: number,
    @Query() limit: number = 100,
    @Query() network: 'main' | 'test' = 'main',
    @Query() since?: number,
    @Query() until?: number,
  ): Promise<EventsView> {
    const query = { since, until: until ?? cursor, limit };
    return StoredJson.as(await this.events.list(network, query));
  }
}
