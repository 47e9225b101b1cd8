import { Body, Post, Request, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ErrorView } from '../wire.ts';
import type { QueryService } from './service.ts';
import type { QueryBody, QueryErrorView, QueryView } from './wire.ts';

@Route('query')
@Tags('Argo query')
@Response<QueryErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(503, 'The search index cannot be used')
export class QueryController {
  private readonly query: QueryService;
  constructor(query: QueryService) {
    this.query = query;
  }

  /**
   * Find entities by what they are and by what leads to them, in the Argo query language. A query that ends before its end
   * answers without results, and its metadata say why and how far it came.
   *
   * `path` is a scope if wanted (`@:collection(ID)`, `@:collections`, `@:public`, `@:discover`), an entry, a second one that
   * filters or ranks anew, and hops. An entry is `"a text"`, `@ID`, `type:a,b ~ "a text"`, or `type:a,b` where no hop follows.
   * A hop is a relationship and what it must lead to, written as an entry: `-[name, other]->` along, `<-[name]-` against,
   * `<-[name]->` either way, `*` for any name, and `{2}`, `{2,4}`, `{,3}` or `{2,}` after the bracket for how many
   * relationships, four at most.
   */
  @Post()
  async run(@Request() request: CallerRequest, @Body() body: QueryBody): Promise<QueryView> {
    return StoredJson.as<QueryView>(await this.query.run(request.caller, body));
  }
}
