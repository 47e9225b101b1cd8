import { Get, Path, Query, Request, Response, Route, Tags } from '../../../http/controller.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { LinksService } from './service.ts';
import type { IncomingLinksView } from './wire.ts';

@Route('node/links')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class LinksController {
  private readonly links: LinksService;
  constructor(links: LinksService) {
    this.links = links;
  }

  /**
   * The relationships of other entities that lead to one, page by page.
   * @param after `next` of the page before
   * @maxLength after 40
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('{id}/incoming')
  @Response<ErrorView>(404, 'Not found')
  incoming(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() after?: string,
    @Query() limit: number = 500,
  ): Promise<IncomingLinksView> {
    return this.links.incoming(request.caller, id, { after, limit });
  }
}
