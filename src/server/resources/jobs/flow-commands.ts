import type { RegisteredActor } from '../../model/actor.ts';
import { commandOf } from '../../model/endpoints.ts';
import { networkOf } from '../../model/ids.ts';
import type { Reader } from '../../store/connection.ts';
import type { FlowKladoi } from './flow-kladoi.ts';
import type { Launcher } from './launcher.ts';

/**
 * Which commands of this machine a workflow must not start: whoever starts it, or all who wrote the workflows that name one, have to
 * be let invoke it by its own permissions, and have written them on this node. Else everybody could run the operator's commands, by a
 * workflow of their own, or one of another node that names whom it likes (decisions.md, Processors; what a klados of somebody's service is
 * asked for is that service's to refuse).
 */
export function forbiddenCommands(
  { writes, needs }: Launcher,
  db: Reader,
  actor: RegisteredActor,
  { kladoi, authors }: Pick<FlowKladoi, 'kladoi' | 'authors'>,
): FlowKladoi['issues'] {
  const may = (who: RegisteredActor, one: FlowKladoi['kladoi'][number]) =>
    writes.env.permissions.may(db, who, 'klados:invoke', one.standing);
  const author = (id: string | null): RegisteredActor | null => {
    if (id === null) return null;
    const account = needs.identity.accountById(id);
    return account && { kind: 'user', id, ids: account.ids[networkOf(id)], operator: account.operator };
  };
  return kladoi
    .filter(({ endpoint }) => commandOf(endpoint) !== null)
    .filter((one) => {
      if (may(actor, one)) return false;
      const writers = (authors.get(one.id) ?? []).map(author);
      return writers.length === 0 || !writers.every((who) => who !== null && may(who, one));
    })
    .map(({ id }) => ({
      id,
      reason:
        'not_allowed: neither who starts the workflow nor who wrote it last on this node may invoke this command (klados:invoke). Have it saved by somebody who may',
    }));
}
