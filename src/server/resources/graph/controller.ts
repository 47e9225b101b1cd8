import { Body, Get, Path, Post, Query, Request, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { GraphService } from './service.ts';
import type { GraphEntityView, GraphExpansion, PathsBody, PathsView, ReachableBody, ReachableView } from './wire.ts';

@Route('graph')
@Tags('Graph')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class GraphController {
  private readonly graph: GraphService;
  constructor(graph: GraphService) {
    this.graph = graph;
  }

  /**
   * The ways from some entities to others: paths that come by no entity twice, shortest first. No path leads through a
   * collection or a deleted entity, though it may begin or end there.
   */
  @Post('paths')
  async paths(
    @Request() request: CallerRequest,
    @Body() body: PathsBody,
    @Query() expand: GraphExpansion = 'preview',
  ): Promise<PathsView> {
    return StoredJson.as<PathsView>(await this.graph.paths(request.caller, body, expand));
  }

  /** The entities of a type to which relationships lead, nearest first, each with one shortest path; a source, too, where another one leads to it. */
  @Post('reachable')
  async reachable(
    @Request() request: CallerRequest,
    @Body() body: ReachableBody,
    @Query() expand: GraphExpansion = 'preview',
  ): Promise<ReachableView> {
    return StoredJson.as<ReachableView>(await this.graph.reachable(request.caller, body, expand));
  }

  /**
   * An entity with its relationships in both directions: all of them that an answer of some 64 MB holds and that are read
   * in half a minute.
   * @param limit How many of each direction (default: all)
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('entity/{id}')
  @Response<ErrorView>(404, 'Not found')
  async entity(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() expand: GraphExpansion = 'preview',
    @Query() limit?: number,
  ): Promise<GraphEntityView> {
    return StoredJson.as<GraphEntityView>(await this.graph.entity(request.caller, id, { expand, limit }));
  }
}
