import { Get, NoSecurity, Path, Query, Request, Response, Route, Tags } from '../../http/controller.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { VersionsService } from './service.ts';
import type { HistoricView, VersionsView } from './wire.ts';

@Route('versions')
@Tags('Versions')
@NoSecurity()
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
export class VersionsController {
  private readonly versions: VersionsService;
  constructor(versions: VersionsService) {
    this.versions = versions;
  }

  /** One version as it was hashed. */
  @Get('manifest/{cid}')
  manifest(@Request() request: CallerRequest, @Path() cid: string): Promise<HistoricView> {
    return this.versions.manifest(request.caller, cid);
  }

  /**
   * An entity's versions, newest first.
   * @param from The CID to start from; the tip if omitted
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 10
   */
  @Get('{id}')
  @Response<ValidationErrorView>(400, 'Validation failed')
  list(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() limit: number = 10,
    @Query() from?: string,
  ): Promise<VersionsView> {
    return this.versions.list(request.caller, id, limit, from);
  }
}
