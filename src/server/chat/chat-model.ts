import type { Answering, ChatNeeds } from '../resources/chat/service.ts';
import type { NodeOperations } from './node-tools.ts';

export interface ModelSettings {
  url: string | null;
  model: string | null;
  key: string | null;
  /** The scheme of references. */
  service: string;
  now: () => number;
}

/**
 * What answers in chats, or which settings are missing. The code that speaks with the language model is loaded when
 * somebody asks: a node where nobody does is spared it.
 */
export function chatModel({ url, model, key, service, now }: ModelSettings, node: NodeOperations): ChatNeeds['model'] {
  if (url === null || model === null) return { missing: missing(url, model) };
  return {
    load: async (): Promise<Answering> => {
      const [{ createAnswering }, { nodeTools }] = await Promise.all([
        import('./answer.ts'),
        import('./node-tools.ts'),
      ]);
      const look: Parameters<typeof createAnswering>[0]['look'] = (caller, id) => node.entities.facts(caller, id);
      return createAnswering({ endpoint: { url, model, key }, tools: nodeTools(node), look, service, now });
    },
  };
}

function missing(url: string | null, model: string | null): string {
  const names = [...(url === null ? ['ARCHEION_CHAT_URL'] : []), ...(model === null ? ['ARCHEION_CHAT_MODEL'] : [])];
  return (
    `No language model is set: set ${names.join(' and ')} and start the node again. ` +
    'The URL is that of an OpenAI-compatible endpoint, as http://127.0.0.1:11434/v1 for Ollama.'
  );
}
