import { Body, Post, Request, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../wire.ts';
import type { SearchService } from './service.ts';
import type { SimilarService } from './similar-service.ts';
import type {
  DiscoverBody,
  DiscoverView,
  SearchAgentsBody,
  SearchAgentsView,
  SearchCollectionsBody,
  SearchCollectionsView,
  SearchEntitiesBody,
  SearchEntitiesView,
  SimilarCollectionsBody,
  SimilarCollectionsView,
  SimilarItemsBody,
  SimilarItemsView,
} from './wire.ts';

/** The services behind the search endpoints. */
export interface SearchServices {
  texts: SearchService;
  similar: SimilarService;
}

@Route('search')
@Tags('Search')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(503, 'The search index cannot be used')
export class SearchController {
  private readonly on: SearchServices;
  constructor(services: SearchServices) {
    this.on = services;
  }

  /** Find entities by their texts, and by the labels of what they lead to. */
  @Post('entities')
  async entities(@Request() request: CallerRequest, @Body() body: SearchEntitiesBody): Promise<SearchEntitiesView> {
    return StoredJson.as<SearchEntitiesView>(await this.on.texts.entities(request.caller, body));
  }

  /** Find collections, by their own texts and by the newest 200 of what they hold. */
  @Post('collections')
  async collections(
    @Request() request: CallerRequest,
    @Body() body: SearchCollectionsBody,
  ): Promise<SearchCollectionsView> {
    return StoredJson.as<SearchCollectionsView>(await this.on.texts.collections(request.caller, body));
  }

  /** Find agents. */
  @Post('agents')
  async agents(@Request() request: CallerRequest, @Body() body: SearchAgentsBody): Promise<SearchAgentsView> {
    return StoredJson.as<SearchAgentsView>(await this.on.texts.agents(request.caller, body));
  }

  /** Find entities in the collections that fit best. */
  @Post('discover')
  async discover(@Request() request: CallerRequest, @Body() body: DiscoverBody): Promise<DiscoverView> {
    return StoredJson.as<DiscoverView>(await this.on.texts.discover(request.caller, body));
  }

  /** Find what is like an entity, in its collection and in similar ones. */
  @Post('similar/items')
  @Response<ErrorView>(404, 'Not found')
  async similarItems(@Request() request: CallerRequest, @Body() body: SimilarItemsBody): Promise<SimilarItemsView> {
    return StoredJson.as<SimilarItemsView>(await this.on.similar.items(request.caller, body));
  }

  /** Find collections that are like a collection. */
  @Post('similar/collections')
  @Response<ErrorView>(404, 'Not found')
  async similarCollections(
    @Request() request: CallerRequest,
    @Body() body: SimilarCollectionsBody,
  ): Promise<SimilarCollectionsView> {
    return StoredJson.as<SimilarCollectionsView>(await this.on.similar.collections(request.caller, body));
  }
}
