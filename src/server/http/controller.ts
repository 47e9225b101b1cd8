import type * as tsoa from 'tsoa';

/**
 * What a controller may extend to answer another status than the one of its `@SuccessResponse`, or headers of its own.
 * One is made for each request.
 */
export abstract class Controller {
  private status: number | undefined;
  private readonly headers: Record<string, string> = {};

  setStatus(status: number): void {
    this.status = status;
  }
  getStatus(): number | undefined {
    return this.status;
  }
  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  getHeaders(): Record<string, string> {
    return this.headers;
  }
}

// tsoa reads decorators from the sources (build/generate.ts) and its own do nothing when the program runs. These do the
// same nothing, and spare the program tsoa, its compiler and their 300 modules.
function nothing(): void {}
function inert(): typeof nothing {
  return nothing;
}

export const Route: typeof tsoa.Route = inert;
export const Tags: typeof tsoa.Tags = inert;
export const Get: typeof tsoa.Get = inert;
export const Post: typeof tsoa.Post = inert;
export const Put: typeof tsoa.Put = inert;
export const Patch: typeof tsoa.Patch = inert;
export const Delete: typeof tsoa.Delete = inert;
export const Path: typeof tsoa.Path = inert;
export const Query: typeof tsoa.Query = inert;
export const Header: typeof tsoa.Header = inert;
export const Body: typeof tsoa.Body = inert;
export const Request: typeof tsoa.Request = inert;
export const Response: typeof tsoa.Response = inert;
export const SuccessResponse: typeof tsoa.SuccessResponse = inert;
export const Produces: typeof tsoa.Produces = inert;
export const Consumes: typeof tsoa.Consumes = inert;
export const Security: typeof tsoa.Security = inert;
export const NoSecurity: typeof tsoa.NoSecurity = inert;
