import { useMemo, useState } from 'react';
import { TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { FaultContext, useFault, useFaults } from './fields/faults.ts';
import { FormContext, type FormState, type Path } from './fields/form.ts';
import { JsonSaid } from './fields/json-said.tsx';
import { PropertyRows } from './fields/property-rows.tsx';
import { type JsonMap, renamed, same, withValue } from './model/json.ts';
import { jsonFault } from './model/json-fault.ts';
import { mergeThreeWay } from './model/three-way.ts';

const root: Path = [];

interface PropertiesFormProps {
  /** With which the ids of its fields begin. */
  name: string;
  properties: JsonMap;
  /** What they were before: of thousands those are shown that differ. */
  before?: JsonMap;
  /** Properties that are shown elsewhere. */
  hidden?: readonly string[];
  service: string;
  /** The version over which is typed. */
  version?: string;
  onChange(change: (properties: JsonMap) => JsonMap): void;
  /** Told whether something stands in a field that cannot be saved. */
  onFault(wrong: boolean): void;
}

/** The properties, in fields or as JSON. */
export function PropertiesForm({
  name,
  properties,
  before,
  hidden = [],
  service,
  version = '',
  onChange,
  onFault,
}: PropertiesFormProps) {
  const { t } = useTexts();
  const [asText, setAsText] = useState(false);
  const [faulty, fault] = useFaults(onFault);
  const form = useMemo(
    (): FormState => ({
      service,
      version,
      change: (path, value) => onChange((old) => withValue(old, path, value) as JsonMap),
      rename: (path, from, to) =>
        onChange((old) => {
          const place = path.reduce<unknown>((at, part) => (at as JsonMap)[part as string], old) as JsonMap;
          return withValue(old, path, renamed(place, from, to)) as JsonMap;
        }),
    }),
    [service, version, onChange],
  );
  return (
    <section aria-labelledby={`${name}-title`}>
      <div className="mb-2 flex items-center gap-3">
        <h2 id={`${name}-title`} className="flex-1 text-base font-semibold">
          {t('entity.properties')}
        </h2>
        <button
          type="button"
          aria-pressed={asText}
          // The other view would begin with what was there before.
          disabled={faulty}
          aria-describedby={faulty ? `${name}-first` : undefined}
          onClick={() => setAsText(!asText)}
          className="rounded px-1 text-xs text-accent hover:underline print:hidden disabled:opacity-50"
        >
          {t(asText ? 'entity.asForm' : 'entity.asJson')}
        </button>
      </div>
      {faulty && (
        <p id={`${name}-first`} className="mb-2 text-right text-xs text-quiet">
          {t('entity.faultFirst')}
        </p>
      )}
      <FaultContext value={fault}>
        <FormContext value={form}>
          {asText ? (
            <WholeText name={name} properties={properties} onChange={onChange} />
          ) : (
            <PropertyRows id={name} path={root} value={properties} before={before} hidden={hidden} />
          )}
        </FormContext>
      </FaultContext>
    </section>
  );
}

function WholeText({ name, properties, onChange }: Pick<PropertiesFormProps, 'name' | 'properties' | 'onChange'>) {
  const { t } = useTexts();
  const [{ typed, over }, setTyped] = useState(() => ({
    typed: JSON.stringify(properties, null, 2),
    over: properties,
  }));
  const wrong = useMemo(() => jsonFault(typed), [typed]);
  useFault([], wrong !== null);
  // Another version came, or was taken over: it is shown unless something is being typed that is no JSON yet.
  const shown = wrong || same(JSON.parse(typed), properties) ? typed : JSON.stringify(properties, null, 2);
  const type = (text: string) => {
    // Over which it was typed, however long it has been no JSON: what the page itself has changed since stays, as an attached file.
    const from = wrong ? over : properties;
    setTyped({ typed: text, over: from });
    if (!jsonFault(text)) onChange((now) => mergeMine(from, JSON.parse(text) as JsonMap, now));
  };
  return (
    <>
      <TextArea
        aria-label={t('entity.asJson')}
        aria-invalid={wrong !== null || undefined}
        aria-describedby={wrong ? `${name}-fault` : undefined}
        spellCheck={false}
        rows={Math.min(30, shown.split('\n').length + 1)}
        className="w-full font-mono text-xs"
        value={shown}
        onChange={({ target }) => type(target.value)}
      />
      {wrong && <JsonSaid id={`${name}-fault`} fault={wrong} />}
    </>
  );
}

/** What was typed over `from`, with what has changed elsewhere by now. */
function mergeMine(from: JsonMap, mine: JsonMap, now: JsonMap): JsonMap {
  if (same(from, now)) return mine;
  const of = (properties: JsonMap) => ({ properties, relationships: [] });
  return mergeThreeWay(of(from), of(mine), of(now), () => 'mine', null).merged.properties;
}
