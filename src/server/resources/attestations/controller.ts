import { Controller, Get, NoSecurity, Path, Query, Request, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest, HostRequest } from '../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { AttestationsService } from './service.ts';
import type {
  AttestationHeadView,
  AttestationView,
  ConsistencyView,
  PendingAttestationView,
  ProofView,
  SignedHeadView,
  VerifiedAttestationView,
} from './wire.ts';

@Route('')
@Tags('Attestations')
@NoSecurity()
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(404, 'Not found')
export class AttestationsController extends Controller {
  private readonly attestations: AttestationsService;
  constructor(attestations: AttestationsService) {
    super();
    this.attestations = attestations;
  }

  /** The attestation of an entity's current version. */
  @Get('entities/{id}/attestation')
  @Response<PendingAttestationView>(202, 'No signed head covers it yet')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(403, 'Forbidden')
  async entity(@Request() request: HostRequest, @Path() id: EntityId): Promise<AttestationView> {
    const { status, body } = await this.attestations.ofEntity(request.caller, id, address(request));
    this.setStatus(status);
    return body as AttestationView;
  }

  /**
   * The attestation of one of an entity's versions.
   * @isInt ver
   * @minimum ver 1
   */
  @Get('versions/{id}/{ver}/attestation')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(403, 'Forbidden')
  version(@Request() request: HostRequest, @Path() id: EntityId, @Path() ver: number): Promise<AttestationView> {
    return this.attestations.ofVersion(request.caller, id, ver, address(request));
  }

  /** The last entry of the log that a signed head covers. */
  @Get('attestations/head')
  head(@Request() request: HostRequest): Promise<AttestationHeadView> {
    return this.attestations.head(request.caller.network, address(request));
  }

  /** What an entry of the log says, checked against what is stored. */
  @Get('attestations/verify/{tx}')
  verify(@Request() request: CallerRequest, @Path() tx: string): Promise<VerifiedAttestationView> {
    return this.attestations.verify(request.caller, tx);
  }

  /** The newest signed tree head. */
  @Get('node/attestations/head')
  signedHead(@Request() request: CallerRequest): Promise<SignedHeadView> {
    return this.attestations.signedHead(request.caller.network);
  }

  /**
   * A proof that a version is in the log: a signed head, the entry, the path between them, the manifest.
   * @param id The entity
   * @param ver Its version; the current one if omitted
   * @param tx Instead of these, an entry of the log
   * @isInt ver
   * @minimum ver 1
   */
  @Get('node/attestations/proof')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(403, 'Forbidden')
  async proof(
    @Request() request: CallerRequest,
    @Query() id?: EntityId,
    @Query() ver?: number,
    @Query() tx?: string,
  ): Promise<ProofView> {
    return StoredJson.as<ProofView>(await this.attestations.proof(request.caller, { id, ver, tx }));
  }

  /**
   * A proof that the log has only been added to.
   * @param from The size of an earlier head
   * @param to The size of a later one; of the newest if omitted
   * @isInt from
   * @minimum from 1
   * @isInt to
   * @minimum to 1
   */
  @Get('node/attestations/consistency')
  @Response<ValidationErrorView>(400, 'Validation failed')
  consistency(
    @Request() request: CallerRequest,
    @Query() from: number,
    @Query() to?: number,
  ): Promise<ConsistencyView> {
    return this.attestations.consistency(request.caller.network, from, to);
  }
}

function address({ headers }: HostRequest): string {
  return `http://${headers.host ?? ''}`;
}
