import { EllipsisVertical } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../../components/button.tsx';
import { Input } from '../../../components/field.tsx';
import { Menu, MenuItem, MenuLabel } from '../../../components/menu.tsx';
import { pressedKey } from '../../../components/pressed-key.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { useUnsaved } from '../../../session/unsaved.ts';
import type { Json } from '../model/json.ts';
import { kindOf, kinds, type Turned, turned } from '../model/kinds.ts';
import { FaultContext, useFaultsWithin } from './faults.ts';
import { type Path, useForm } from './form.ts';
import { useShown } from './use-shown.ts';
import { ValueField } from './value-field.tsx';

interface PropertyRowProps {
  id: string;
  name: string;
  /** Where the object stands of which it is a member. */
  parent: Path;
  value: Json;
  /** Whether a member has that name. */
  isTaken(name: string): boolean;
  /** Whether it was just added, so that it can be typed into at once. */
  focus: boolean;
}

/** Its field stands below the name and the menu, but between them where there is room; the further in, the less there is. */
const below = 'grid-cols-[minmax(0,1fr)_2rem] [&>:nth-child(2)]:order-last [&>:nth-child(2)]:col-span-2';
const columns = [
  `${below} @md:grid-cols-[minmax(6rem,11rem)_minmax(0,1fr)_2rem] @md:[&>:nth-child(2)]:order-none @md:[&>:nth-child(2)]:col-span-1`,
  `${below} @xs:grid-cols-[minmax(4rem,8rem)_minmax(0,1fr)_2rem] @xs:[&>:nth-child(2)]:order-none @xs:[&>:nth-child(2)]:col-span-1`,
  below,
];

/**
 * A property: its name, the field of its kind, and a menu to rename it, take it away or edit it as another kind. Made anew only
 * where it changes itself: there may be a thousand beside the one that is typed into.
 */
export const PropertyRow = memo(({ id, name, parent, value, isTaken, focus }: PropertyRowProps) => {
  const { t } = useTexts();
  const path = useMemo(() => [...parent, name], [parent, name]);
  const { change, rename, version } = useForm();
  const [renaming, setRenaming] = useState<string | null>(null);
  useUnsaved(renaming !== null && renaming !== name);
  const [shown, setShown] = useShown(value, path.length);
  const [faulty, fault] = useFaultsWithin();
  const [last, setLast] = useState<(Turned & { version: string }) | null>(null);
  useEffect(() => {
    if (focus) document.getElementById(id)?.focus();
  }, [focus, id]);
  const wanted = useRef(false);
  // Not before the menu has given the focus away: a name that loses it is taken as it is.
  const menuClosed = (event: Event) => {
    if (!wanted.current) return;
    wanted.current = false;
    event.preventDefault();
    setRenaming(name);
  };
  const next = renaming?.trim() ?? '';
  const taken = next !== name && isTaken(next);
  const finish = () => {
    setRenaming(null);
    // A name may have blanks at its ends: one that was only looked at stays.
    if (renaming !== name && next !== '' && next !== name && !isTaken(next)) rename(parent, name, next);
  };
  return (
    <div className={`grid items-start gap-x-2 ${columns[Math.min(path.length, columns.length) - 1]}`}>
      {renaming === null ? (
        <label htmlFor={id} className="py-1.5 text-quiet break-words">
          <bdi>{name}</bdi>
        </label>
      ) : (
        <div>
          <Input
            autoFocus
            data-escape
            aria-label={t('field.rename')}
            aria-invalid={taken || undefined}
            value={renaming}
            onChange={({ target }) => setRenaming(target.value)}
            onBlur={finish}
            onKeyDown={(event) => {
              const key = pressedKey(event);
              if (key === 'Enter' && !taken) finish();
              if (key === 'Escape') setRenaming(null);
            }}
          />
          {taken && <span className="text-xs text-danger">{t('field.taken')}</span>}
        </div>
      )}
      <div className="min-w-0">
        <FaultContext value={fault}>
          <ValueField key={shown} id={id} path={path} value={value} shown={shown} />
        </FaultContext>
      </div>
      <Menu
        onClosed={menuClosed}
        trigger={
          <IconButton label={t('field.menu', { name })}>
            <EllipsisVertical size={15} aria-hidden />
          </IconButton>
        }
      >
        {/* A field under another name, or of another kind, begins with the value that there was before. */}
        <MenuItem
          disabled={faulty}
          onSelect={() => {
            wanted.current = true;
          }}
        >
          {t('field.rename')}
        </MenuItem>
        <MenuItem onSelect={() => change(path, undefined)}>{t('field.remove')}</MenuItem>
        <MenuLabel>{t('field.editAs')}</MenuLabel>
        {kinds
          .filter((one) => one !== (shown === 'json' ? kindOf(value) : shown))
          .map((one) => (
            <MenuItem
              key={one}
              disabled={faulty}
              onSelect={() => {
                // What was saved as another kind is that, and no longer what it was before.
                const next = turned(value, one, last?.version === version ? last : null);
                setLast({ ...next, version });
                setShown(one);
                change(path, next.now);
              }}
            >
              {t(`kind.${one}`)}
            </MenuItem>
          ))}
      </Menu>
    </div>
  );
});
