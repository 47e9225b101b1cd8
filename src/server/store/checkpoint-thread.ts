import { checkpoint, openCheckpointer } from './connection.ts';

/** See checkpoints.ts. @throws where the database cannot be opened */
export function checkpointLog({ file }: { file: string }): number {
  const connection = openCheckpointer(file);
  try {
    return checkpoint(connection, 'PASSIVE');
  } finally {
    connection.close();
  }
}
