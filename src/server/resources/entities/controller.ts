import {
  Body,
  Controller,
  Delete,
  Get,
  NoSecurity,
  Path,
  Post,
  Put,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { CasBody, ConflictView, EntityId, ErrorView, PreviewView, ValidationErrorView } from '../wire.ts';
import type { BatchService } from './batch-service.ts';
import type { CascadeService } from './cascade-service.ts';
import type { DiffService } from './diff-service.ts';
import { type ExpansionService, expansionOf } from './expansion-service.ts';
import type { EntitiesService } from './service.ts';
import type { TreeService } from './tree-service.ts';
import type {
  BatchCreateBody,
  BatchCreateView,
  BatchGetBody,
  BatchGetView,
  CascadeBody,
  CascadeView,
  CreateEntityBody,
  DeletedView,
  DeleteEntityBody,
  EntityCollectionView,
  EntityUpdatedView,
  EntityView,
  ExpandedView,
  PatchDiffView,
  RestoredView,
  SemanticDiffView,
  TipView,
  TreeView,
  UpdateEntityBody,
} from './wire.ts';

/** The services behind the entity endpoints. */
export interface EntityServices {
  entities: EntitiesService;
  batches: BatchService;
  cascades: CascadeService;
  diffs: DiffService;
  expansions: ExpansionService;
  trees: TreeService;
}

@Route('entities')
@Tags('Entities')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class EntitiesController extends Controller {
  private readonly on: EntityServices;
  constructor(services: EntityServices) {
    super();
    this.on = services;
  }

  /** Create an entity. An exact replay of a request with `id` answers 200 with the entity that it made. */
  @Post()
  @SuccessResponse(201, 'Created')
  @Response<EntityView>(200, 'The same request made the entity before')
  @Response<ConflictView>(409, 'The id exists')
  async create(
    @Request() request: CallerRequest,
    @Body() body: CreateEntityBody,
    @Query() validate_relationships: 'true' | 'false' = 'true',
  ): Promise<EntityView> {
    const { created, manifest } = await this.on.entities.create(
      request.caller,
      body,
      validate_relationships === 'true',
    );
    if (!created) this.setStatus(200);
    return manifest as EntityView;
  }

  /** Create up to 100 entities; each item succeeds or fails by itself (201 when all succeed, 207 when any fails). */
  @Post('batch')
  @SuccessResponse(201, 'Created')
  @Response<BatchCreateView>(207, 'Some items failed')
  async createBatch(
    @Request() request: CallerRequest,
    @Body() body: BatchCreateBody,
    @Query() validate_relationships: 'true' | 'false' = 'false',
  ): Promise<BatchCreateView> {
    const view = await this.on.batches.create(request.caller, body, validate_relationships === 'true');
    if (view.summary.failed > 0) this.setStatus(207);
    return view;
  }

  /** Read up to 100 entities. */
  @Post('batch-get')
  @NoSecurity()
  async getBatch(@Request() request: CallerRequest, @Body() body: BatchGetBody): Promise<BatchGetView> {
    return StoredJson.as<BatchGetView>(await this.on.batches.read(request.caller, body.ids));
  }

  /**
   * Read an entity.
   * @param expand Comma-separated: `relationships`, `relationships:preview`, `relationships:full`.
   * @param expand_limit How many relationships are expanded; the others come without peer data.
   * @isInt expand_limit
   * @minimum expand_limit 1
   * @maximum expand_limit 500
   */
  @Get('{id}')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async read(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() expand?: string,
    @Query() expand_limit: number = 100,
  ): Promise<ExpandedView> {
    const mode = expansionOf(expand);
    if (mode === null) return StoredJson.as<ExpandedView>(await this.on.entities.read(request.caller, id));
    return this.on.expansions.read(request.caller, id, mode, expand_limit);
  }

  /** Change an entity: removals first, then deep merges and additions. */
  @Put('{id}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  async update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateEntityBody,
    @Query() validate_relationships: 'true' | 'false' = 'true',
  ): Promise<EntityUpdatedView> {
    const updated = await this.on.entities.update(request.caller, id, body, validate_relationships === 'true');
    return updated as EntityUpdatedView;
  }

  /** Delete an entity: a tombstone version is appended, history is kept. */
  @Delete('{id}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  remove(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: DeleteEntityBody,
  ): Promise<DeletedView> {
    return this.on.entities.remove(request.caller, id, body);
  }

  /** Delete an entity and what it leads to, within one collection. */
  @Delete('{id}/cascade')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  cascade(@Request() request: CallerRequest, @Path() id: EntityId, @Body() body: CascadeBody): Promise<CascadeView> {
    return this.on.cascades.remove(request.caller, id, body);
  }

  /** Bring a deleted entity back: a new version with the content of the last one that was not deleted. */
  @Post('{id}/restore')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  async restore(@Request() request: CallerRequest, @Path() id: EntityId, @Body() body: CasBody): Promise<RestoredView> {
    return (await this.on.entities.restore(request.caller, id, body)) as RestoredView;
  }

  /** The short form of an entity. */
  @Get('{id}/preview')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  preview(@Request() request: CallerRequest, @Path() id: EntityId): Promise<PreviewView> {
    return this.on.entities.preview(request.caller, id);
  }

  /** The CID of the newest version, for `expect_tip`; needs no credentials and answers for deleted entities too. */
  @Get('{id}/tip')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  tip(@Request() request: CallerRequest, @Path() id: EntityId): Promise<TipView> {
    return this.on.entities.tip(request.caller, id);
  }

  /** The collection that an entity lies in. */
  @Get('{id}/collection')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  collection(@Request() request: CallerRequest, @Path() id: EntityId): Promise<EntityCollectionView> {
    return this.on.trees.collection(request.caller, id);
  }

  /**
   * What an entity leads to, level by level, each entity once. Where nothing else is said all outgoing relationships are
   * followed but `collection` and `in`, which lead back up, and a collection's memberships.
   * @param depth How many levels below the entity
   * @param collection Only entities that lie in this collection
   * @param predicates Comma-separated: only these relationships, among them the ones that are not followed otherwise
   * @param limit How many entities, the first one included; the nearest come first
   * @isInt depth
   * @minimum depth 1
   * @maximum depth 4
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('{id}/tree')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  tree(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() depth: number = 2,
    @Query() collection?: EntityId,
    @Query() predicates?: string,
    @Query() limit: number = 100,
  ): Promise<TreeView> {
    return this.on.trees.tree(request.caller, id, { depth, collection, predicates, limit });
  }

  /**
   * Compare two versions. Without parameters the tip with the one before it.
   * @param from CID; the version before `to` if omitted
   * @param to CID; the tip if omitted. Of a deleted entity it has to be given
   */
  @Get('{id}/diff')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  diff(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() from?: string,
    @Query() to?: string,
    @Query() format: 'semantic' | 'patch' = 'semantic',
  ): Promise<SemanticDiffView | PatchDiffView> {
    return this.on.diffs.compare(request.caller, id, { from, to, format });
  }
}
