import { Get, Path, Query, Request, Response, Route, Tags } from '../../../http/controller.ts';
import { StoredJson } from '../../../http/stored-json.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { TablesService } from './service.ts';
import type {
  CollectionLinesView,
  DeletedCollectionsView,
  DeletedPageView,
  TableFacetsView,
  TablePageView,
} from './wire.ts';

/** What the node's page shows as tables. */
@Route('node/collections')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class TablesController {
  private readonly tables: TablesService;
  constructor(tables: TablesService) {
    this.tables = tables;
  }

  /**
   * All collections with the number of their entities, newest created first.
   * @param q Only those that this text may mean, or all for an empty one: those that it is the name or the id of first, then those
   * whose name begins with it, then those that have it in their name, without case and accents; of these the node's own first,
   * those of jobs last
   * @maxLength q 1000
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   * @isInt offset
   * @minimum offset 0
   */
  @Get()
  async collections(
    @Request() request: CallerRequest,
    @Query() q?: string,
    @Query() limit: number = 1000,
    @Query() offset: number = 0,
  ): Promise<CollectionLinesView> {
    return StoredJson.as<CollectionLinesView>(await this.tables.collections(request.caller, { q, limit, offset }));
  }

  /**
   * Of which types a collection's entities are, and which properties and predicates they have.
   * @param types A JSON list: only the properties and predicates of these types
   * @maxLength types 10000
   */
  @Get('{id}/facets')
  @Response<ErrorView>(404, 'Not found')
  async facets(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() types?: string,
  ): Promise<TableFacetsView> {
    return StoredJson.as<TableFacetsView>(await this.tables.facets(request.caller, id, types));
  }

  /**
   * A page of a collection's entities in any order; refused where making that takes more than 30 seconds. A column is `id`, `type`, `label`, `ver`, `created_at`, `updated_at`,
   * `properties.NAME` or `relationships.PREDICATE`.
   * @param types A JSON list: only entities of these types
   * @param filter A JSON list of `{column, op, value}`, all of which have to fit; `op` is `contains`, `is`, `not`, `min`,
   * `max` (in the order of `sort`), `present` or `missing`, whatever the case of letters
   * @param sort A column; newest created first if omitted. Numbers stand before texts, and texts that are or begin with one among
   * them; what is missing at the end
   * @param columns A JSON list of the columns that `cells` shows
   * @param view The name that an earlier page gave: the next one is cut from the same order
   * @maxLength types 10000
   * @maxLength filter 20000
   * @maxLength columns 40000
   * @maxLength view 20
   * @isInt offset
   * @minimum offset 0
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 500
   */
  @Get('{id}/table')
  @Response<ErrorView>(404, 'Not found')
  async page(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() types?: string,
    @Query() filter?: string,
    @Query() sort?: string,
    @Query() order: 'asc' | 'desc' = 'asc',
    @Query() columns?: string,
    @Query() view?: string,
    @Query() offset: number = 0,
    @Query() limit: number = 100,
  ): Promise<TablePageView> {
    const options = { types, filter, sort, order, columns, view, offset, limit };
    return StoredJson.as<TablePageView>(await this.tables.page(request.caller, id, options));
  }

  /**
   * The collections that were deleted, the last first; `POST /entities/{id}/restore` brings each back.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 500
   * @isInt offset
   * @minimum offset 0
   */
  @Get('deleted')
  async deletedCollections(
    @Request() request: CallerRequest,
    @Query() limit: number = 100,
    @Query() offset: number = 0,
  ): Promise<DeletedCollectionsView> {
    const rows = await this.tables.deletedCollections(request.caller, { limit, offset });
    return StoredJson.as<DeletedCollectionsView>(rows);
  }

  /**
   * What was deleted in a collection, the last first; what lay in several, in the first of them.
   * `POST /entities/{id}/restore` brings each back.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 500
   * @isInt offset
   * @minimum offset 0
   */
  @Get('{id}/deleted')
  @Response<ErrorView>(404, 'Not found')
  async deleted(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() limit: number = 100,
    @Query() offset: number = 0,
  ): Promise<DeletedPageView> {
    return StoredJson.as<DeletedPageView>(await this.tables.deleted(request.caller, id, { limit, offset }));
  }
}
