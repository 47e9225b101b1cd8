import { isMap, type Json, member } from '../../entity/model/json.ts';

export type Level = 'info' | 'success' | 'warning' | 'error';

export interface LogMessage {
  level: Level;
  message: string;
  at: string | null;
  /** What else it says, as JSON text. */
  more: string | null;
}

const levels: readonly Level[] = ['info', 'success', 'warning', 'error'];
const longest = 4000;

/** The messages of a log's properties; processors write them, so they may be anything. */
export function logMessages(properties: unknown): LogMessage[] {
  const data = isMap(properties as Json) ? member(properties as { [name: string]: Json }, 'log_data') : undefined;
  const list = isMap(data) ? member(data, 'messages') : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    if (!isMap(one)) return [];
    const [message, level, at, metadata] = ['message', 'level', 'timestamp', 'metadata'].map((name) =>
      member(one, name),
    );
    if (typeof message !== 'string') return [];
    const more =
      isMap(metadata) && Object.keys(metadata).length > 0 ? JSON.stringify(metadata).slice(0, longest) : null;
    return {
      level: levels.find((known) => known === level) ?? 'info',
      message: message.slice(0, longest),
      at: typeof at === 'string' ? at : null,
      more,
    };
  });
}
