import { useCallback, useRef } from 'react';
import { useKeptState } from '../../components/use-kept.ts';
import type { Rows } from './use-rows.ts';

/** Where the keys are in a table, and from where a stretch is selected: at a row, wherever others that come or go move it. */
export interface Mark {
  /** The place of that row; where it `isLost`, the one at which it stood last. */
  index: number;
  /** Whether it is not known where the row stands by now. */
  isLost: boolean;
  /** How often it was put somewhere. */
  moves: number;
}

interface Followed extends Mark {
  /** The row that it was put at; null until that has come. */
  id: string | null;
}

interface MarkState {
  mark: Mark;
  /** Puts it at the row of a place. */
  put(index: number): void;
  /** Back to the first place, whichever row stands there, as long as it is put nowhere else. */
  reset(): void;
  /** Told what the table shows by now. */
  follow(rows: Rows): void;
}

const first: Followed = { index: 0, isLost: false, moves: 0, id: null };

export function useMark(): MarkState {
  const [mark, setMark] = useKeptState('mark', first);
  const latest = useRef<Rows>(undefined);
  const put = useCallback(
    (index: number) =>
      setMark(({ moves }) => ({
        index,
        isLost: false,
        moves: moves + 1,
        // What is shown there, which may be a row of the order before.
        id: latest.current?.at(index)?.id ?? null,
      })),
    [setMark],
  );
  const reset = useCallback(() => setMark(first), [setMark]);
  const follow = useCallback(
    (rows: Rows) => {
      latest.current = rows;
      setMark((old) => followed(old, rows));
    },
    [setMark],
  );
  return { mark, put, reset, follow };
}

/** The same one where nothing has moved. */
function followed(mark: Followed, rows: Rows): Followed {
  const { index, isLost, moves, id } = mark;
  // Nobody has put it anywhere yet, or what stands there belongs to what was wanted before.
  if (moves === 0 || rows.view === undefined) return mark;
  const here = rows.standing(index)?.id ?? null;
  if (id === null) return here === null ? mark : { ...mark, id: here };
  if (here === id) return isLost ? { ...mark, isLost: false } : mark;
  const place = rows.placeOf(id);
  if (place !== null) return { ...mark, index: place, isLost: false };
  return isLost ? mark : { ...mark, isLost: true };
}
