import { Get, Query, Request, Response, Route, Tags } from '../../../http/controller.ts';
import { StoredJson } from '../../../http/stored-json.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView } from '../../wire.ts';
import type { NamesService } from './service.ts';
import type { NamedCollectionsView, NamesView } from './wire.ts';

@Route('node/names')
@Tags('Node')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class NamesController {
  private readonly names: NamesService;
  constructor(names: NamesService) {
    this.names = names;
  }

  /** The types and predicates that there are, at most 1,000 types and 2,000 predicates: what a query can name. */
  @Get()
  async all(@Request() request: CallerRequest): Promise<NamesView> {
    return StoredJson.as<NamesView>(await this.names.names(request.caller));
  }

  /**
   * The collections that have exactly this label, or where none has it, those whose label only has its accents encoded in another way.
   * @maxLength label 1000
   */
  @Get('collections')
  @Response<ErrorView>(400, 'No label')
  collections(@Request() request: CallerRequest, @Query() label: string): Promise<NamedCollectionsView> {
    return this.names.collections(request.caller, label);
  }
}
