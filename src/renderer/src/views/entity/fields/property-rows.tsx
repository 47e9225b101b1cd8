import { Plus } from 'lucide-react';
import { type FormEvent, useCallback, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Input } from '../../../components/field.tsx';
import { ShowMore } from '../../../components/show-more.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { useUnsaved } from '../../../session/unsaved.ts';
import { type JsonMap, member, same } from '../model/json.ts';
import { type Path, useForm } from './form.ts';
import { PropertyRow } from './property-row.tsx';

/** So many are shown at first, and so many more each time that more are asked for: thousands at once take seconds. */
const first = 200;
const step = 300;

interface PropertyRowsProps {
  id: string;
  path: Path;
  value: JsonMap;
  /** What was there before; what was there at first where it is not known. */
  before?: JsonMap;
  /** Names of members that are shown elsewhere. */
  hidden?: readonly string[];
}

/** The members of an object, a line each, and a line that adds one. */
export function PropertyRows({ id, path, value, before, hidden = [] }: PropertyRowsProps) {
  const { t } = useTexts();
  const { change } = useForm();
  const [name, setName] = useState('');
  useUnsaved(name.trim() !== '');
  const [last, setLast] = useState<string | null>(null);
  const [most, setMost] = useState(first);
  const [begun] = useState(value);
  // Whoever types into one keeps it, wherever its name puts it once it is saved.
  const [seen] = useState(() => new Set<string>());
  const members = useRef(value);
  members.current = value;
  const isTaken = useCallback((one: string) => Object.hasOwn(members.current, one), []);
  const taken = name.trim() !== '' && isTaken(name.trim());
  const add = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (name.trim() === '' || taken) return;
    change([...path, name.trim()], '');
    setLast(name.trim());
    seen.add(name.trim());
    setName('');
  };
  // The label comes first: it is what a list shows.
  const keys = Object.keys(value).filter((key) => !hidden.includes(key));
  const ordered =
    path.length === 0 && keys.includes('label') ? ['label', ...keys.filter((key) => key !== 'label')] : keys;
  const base = before ?? begun;
  const changed = ordered.filter((key) => !same(member(base, key), value[key])).slice(0, most);
  for (const key of [...ordered.slice(0, most), ...changed]) seen.add(key);
  const shown = ordered.filter((key) => seen.has(key));
  return (
    <div className="@container space-y-1.5">
      {shown.map((key) => (
        <PropertyRow
          key={key}
          // Half a sign, as JSON may have one, cannot be encoded.
          id={`${id}/${encodeURIComponent(key.toWellFormed())}`}
          name={key}
          parent={path}
          value={value[key]!}
          isTaken={isTaken}
          focus={key === last}
        />
      ))}
      <ShowMore total={ordered.length} listed={shown.length} onMore={() => setMost(most + step)} />
      <form onSubmit={add} className="flex flex-wrap items-center gap-2 pt-1 print:hidden">
        <Input
          aria-label={t('field.newName')}
          placeholder={t('field.newName')}
          value={name}
          onChange={({ target }) => setName(target.value)}
          aria-invalid={taken || undefined}
          className="w-60 max-w-full"
        />
        <Button type="submit" small disabled={name.trim() === '' || taken}>
          <Plus size={13} aria-hidden />
          {t('field.add')}
        </Button>
        {taken && <span className="text-xs text-danger">{t('field.taken')}</span>}
      </form>
    </div>
  );
}
