import {
  Controller,
  Get,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ErrorView } from '../wire.ts';
import type { AuthService } from './service.ts';
import type { RegisteredView, WhoamiProcessorView, WhoamiUserView } from './wire.ts';

@Route('auth')
@Tags('Auth')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(500, 'Internal server error')
export class AuthController extends Controller {
  private readonly auth: AuthService;
  constructor(auth: AuthService) {
    super();
    this.auth = auth;
  }

  /** Register the user of a JWT (not of an API key). Repeating it answers 200 with the user that is there. */
  @Post('register')
  @Security('bearerAuth')
  @SuccessResponse(201, 'Created')
  @Response<RegisteredView>(200, 'The user is registered already')
  async register(@Request() request: CallerRequest): Promise<RegisteredView> {
    const answer = await this.auth.register(request.caller);
    if (!answer.created) this.setStatus(200);
    return answer;
  }

  /** What the credential of this request stands for. */
  @Get('whoami')
  whoami(@Request() request: CallerRequest): WhoamiUserView | WhoamiProcessorView {
    return this.auth.whoami(request.caller);
  }
}
