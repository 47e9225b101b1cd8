import {
  Body,
  Controller,
  Delete,
  NoSecurity,
  Post,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../../http/controller.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { BrowserHeaders, SessionsService } from './service.ts';
import type { OpenSessionBody, SessionLinkView, SessionView } from './wire.ts';

interface BrowserRequest extends CallerRequest {
  headers: BrowserHeaders;
}

@Route('node')
@Tags('Node')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class SessionsController extends Controller {
  private readonly sessions: SessionsService;
  constructor(sessions: SessionsService) {
    super();
    this.sessions = sessions;
  }

  /** Make a link to the node's page that signs in the browser which opens it: once, within five minutes. */
  @Post('session-links')
  @SuccessResponse(201, 'Created')
  createLink(@Request() request: BrowserRequest): SessionLinkView {
    return this.sessions.createLink(request.caller, request.headers);
  }

  /**
   * Exchange a link's token for a session, kept in a cookie of the page. Requests with it act as the operator; those that
   * write need the Origin header of the page too.
   */
  @Post('session')
  @NoSecurity()
  @Response<ValidationErrorView>(400, 'Validation failed')
  open(@Request() request: BrowserRequest, @Body() body: OpenSessionBody): SessionView {
    const { view, cookie } = this.sessions.open(body.token, request.headers);
    this.setHeader('Set-Cookie', cookie);
    return view;
  }

  /** End the session of the page. */
  @Delete('session')
  @NoSecurity()
  @SuccessResponse(204, 'Ended')
  close(@Request() request: BrowserRequest): void {
    this.setHeader('Set-Cookie', this.sessions.close(request.headers));
    this.setHeader('Cache-Control', 'no-store');
  }
}
