import { Body, Post, Request, Response, Route, Tags } from '../../../http/controller.ts';
import { StoredJson } from '../../../http/stored-json.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { SearchService } from '../service.ts';
import type { MySearchBody, MySearchView } from '../wire.ts';

@Route('users')
@Tags('Users')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(503, 'The search index cannot be used')
export class MySearchController {
  private readonly texts: SearchService;
  constructor(texts: SearchService) {
    this.texts = texts;
  }

  /**
   * Find entities in the collections in which the caller has a role. At most 25 of these are searched: those where it is given by
   * name come first, then those through a group, then those where everyone has it; among each the oldest first.
   */
  @Post('me/search')
  async mine(@Request() request: CallerRequest, @Body() body: MySearchBody): Promise<MySearchView> {
    return StoredJson.as<MySearchView>(await this.texts.mine(request.caller, body));
  }
}
