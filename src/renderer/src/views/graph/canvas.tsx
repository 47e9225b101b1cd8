import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTexts } from '../../messages/texts.tsx';
import { usePreferences } from '../../preferences/preferences.ts';
import type { Picture } from './picture.ts';
import { Stage } from './stage.ts';

interface CanvasProps {
  picture: Picture;
  /** The CSS colour of a type. */
  ofType(type: string): string;
  active: string | null;
  /** Told when an entity is clicked. */
  onPoint(id: string): void;
  onArranging(arranging: boolean): void;
  /** The stage, as long as it is there; none where the browser cannot draw one. */
  ref: Ref<Stage | null>;
}

/** The picture drawn on WebGL. For those who cannot see it, the list beside says the same. */
export function Canvas({ picture, ofType, active, onPoint, onArranging, ref }: CanvasProps) {
  const { t, counted } = useTexts();
  const place = useRef<HTMLDivElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  const [failed, setFailed] = useState(false);
  const latest = useRef({ onPoint, onArranging });
  latest.current = { onPoint, onArranging };
  const scheme = useScheme();
  useImperativeHandle<Stage | null, Stage | null>(ref, () => stage, [stage]);

  useEffect(() => {
    let made: Stage | null = null;
    try {
      made = new Stage(place.current!, {
        onPoint: (id) => latest.current.onPoint(id),
        onArranging: (arranging) => latest.current.onArranging(arranging),
      });
      setStage(made);
    } catch {
      // Without WebGL the list is what there is.
      setFailed(true);
    }
    return () => {
      made?.[Symbol.dispose]();
      setStage(null);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are another scheme's
  useEffect(() => {
    stage?.show(picture, ofType);
  }, [stage, picture, ofType, scheme]);
  useEffect(() => {
    stage?.point(active);
  }, [stage, active]);

  return (
    <>
      {failed && <p className="absolute inset-x-0 top-1/2 px-6 text-center text-quiet">{t('graph.noWebGl')}</p>}
      <div
        ref={place}
        role="img"
        hidden={failed}
        aria-label={t('graph.drawing', {
          entities: counted('count.entities', picture.nodes.length),
          relationships: counted('count.relationships', picture.edges.length),
        })}
        className="absolute inset-0"
      />
    </>
  );
}

/** Which colours the page has now: changes make what is drawn be drawn anew. */
function useScheme(): string {
  const { theme } = usePreferences();
  const [dark, setDark] = useState(false);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const look = () => setDark(query.matches);
    look();
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return theme ?? (dark ? 'dark' : 'light');
}
