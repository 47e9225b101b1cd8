import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Field, Input, Select, TextArea } from '../../components/field.tsx';
import { withLineEnds } from '../../components/kept-lines.ts';
import { Permission } from '../../components/permission.tsx';
import { permissionWords } from '../../components/permission-words.ts';
import { quoted } from '../../components/quoted.ts';
import { Said } from '../../components/said.tsx';
import { TagsField } from '../../components/tags-field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { statusQuery } from '../start/status-query.ts';
import type { FormValues, Port } from './form-values.ts';
import { LabelField } from './label-field.tsx';
import { presetActions, presets, usualActions, usualTypes } from './presets.ts';
import { commandsQuery } from './processor-queries.ts';
import { isCommand } from './processor-state.tsx';
import { SchemaField } from './schema-field.tsx';
import { SubAgentsField } from './sub-agents-field.tsx';

interface ProcessorFormProps {
  kind: 'agent' | 'klados';
  values: FormValues;
  onChange(values: FormValues): void;
  /** What the node said of a member, by its name. */
  faults: ReadonlyMap<string, string>;
}

/** What an agent or klados is, where it answers and what it may do, as a form. */
export function ProcessorForm({ kind, values, onChange, faults }: ProcessorFormProps) {
  const { t } = useTexts();
  const set = (next: Partial<FormValues>) => onChange({ ...values, ...next });
  return (
    <div className="space-y-4">
      <LabelField value={values.label} onChange={(label) => set({ label })} fault={faults.get('label')} />
      <Field label={t('collections.description')} error={faults.get('description')}>
        {(ids) => (
          <TextArea
            {...ids}
            dir="auto"
            rows={2}
            value={values.description}
            onChange={({ target }) => set({ description: withLineEnds(values.description, target.value) })}
          />
        )}
      </Field>
      <Endpoint kind={kind} values={values} onChange={onChange} fault={faults.get('endpoint')} />
      <Field label={t('processor.actions')} hint={t('processor.actionsAbout')} error={faults.get('actions_required')}>
        {({ id }) => (
          <TagsField
            id={id}
            label={t('processor.actions')}
            values={values.actions}
            onChange={(actions) => set({ actions })}
            suggestions={usualActions}
            words={(action) => permissionWords(t, action)}
            show={(action) => <Permission action={action} />}
          />
        )}
      </Field>
      {kind === 'klados' && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <PortFields
            label={t('processor.accepts')}
            port={values.accepts}
            onChange={(accepts) => set({ accepts })}
            fault={faults.get('accepts')}
          />
          <PortFields
            label={t('processor.produces')}
            port={values.produces}
            onChange={(produces) => set({ produces })}
            fault={faults.get('produces')}
          />
        </div>
      )}
      {kind === 'agent' && (
        <SubAgentsField
          agents={values.usesAgents}
          onChange={(usesAgents) => set({ usesAgents })}
          fault={faults.get('uses_agents')}
        />
      )}
      <SchemaField
        title={t('processor.schema')}
        about={t('processor.schemaAbout')}
        value={values.inputSchema}
        onChange={(inputSchema) => set({ inputSchema })}
        fault={faults.get('input_schema')}
      />
      {kind === 'agent' && (
        <SchemaField
          title={t('processor.outputSchema')}
          about={t('processor.outputSchemaAbout')}
          value={values.outputSchema}
          onChange={(outputSchema) => set({ outputSchema })}
          fault={faults.get('output_schema')}
        />
      )}
    </div>
  );
}

/** An address, or one of the commands that the operator allows; one that comes along fills in what is known of it. */
function Endpoint({
  kind,
  values,
  onChange,
  fault,
}: Pick<ProcessorFormProps, 'kind' | 'values' | 'onChange'> & { fault: string | undefined }) {
  const { t } = useTexts();
  const list = useId();
  const commands = useQuery({ ...commandsQuery, enabled: kind === 'klados' });
  const status = useQuery({ ...statusQuery, enabled: kind === 'klados' });
  const allowed = commands.data?.commands ?? [];
  const missing = [...presets.keys()].filter((name) => !allowed.some((one) => one.name === name));
  const take = (endpoint: string) => {
    const name = endpoint.replace(/^exec:/, '');
    const preset = name === endpoint ? undefined : presets.get(name);
    onChange({
      ...values,
      endpoint,
      label: values.label || (preset ? name : ''),
      ...(preset ? { ...preset, actions: [...presetActions] } : {}),
    });
  };
  return (
    <div className="space-y-2">
      {kind === 'klados' && allowed.length > 0 && (
        <Field label={t('processor.where')}>
          {(ids) => (
            <Select
              {...ids}
              value={allowed.find(({ endpoint }) => endpoint === values.endpoint)?.endpoint ?? ''}
              onChange={({ target }) => take(target.value)}
            >
              <option value="">{t('processor.service')}</option>
              {allowed.map(({ name, endpoint }) => (
                <option key={name} value={endpoint}>
                  {t('processor.command', { name })}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field
        label={t('processor.endpoint')}
        hint={t(isCommand(values.endpoint) ? 'processor.commandAbout' : 'processor.endpointAbout')}
        error={fault}
      >
        {(ids) => (
          <Input
            {...ids}
            required
            dir="ltr"
            inputMode="url"
            maxLength={2048}
            list={list}
            placeholder="https://"
            value={values.endpoint}
            onChange={({ target }) => onChange({ ...values, endpoint: target.value })}
            className="w-full font-mono text-xs"
          />
        )}
      </Field>
      <datalist id={list}>
        {allowed.map(({ endpoint }) => (
          <option key={endpoint} value={endpoint} />
        ))}
      </datalist>
      {kind === 'klados' && missing.length > 0 && (
        <p className="text-xs text-quiet">
          {t('processor.allowMore', { names: missing.join(', ') })}{' '}
          <code className="font-mono break-words">
            archeion processor allow {missing[0]}
            {status.data && ` --data ${quoted(status.data.data)}`}
          </code>
        </p>
      )}
      {commands.error && (
        <p className="text-xs text-danger">
          <Said error={commands.error} />
        </p>
      )}
    </div>
  );
}

function PortFields({
  label,
  port,
  onChange,
  fault,
}: {
  label: string;
  port: Port;
  onChange(port: Port): void;
  fault: string | undefined;
}) {
  const { t } = useTexts();
  return (
    <fieldset className="min-w-0 space-y-2 rounded-md border border-line p-3">
      <legend className="px-1 text-xs font-medium text-quiet">{label}</legend>
      <Select
        aria-label={t('processor.cardinality', { name: label })}
        value={port.cardinality}
        onChange={({ target }) => onChange({ ...port, cardinality: target.value === 'many' ? 'many' : 'one' })}
      >
        <option value="one">{t('processor.one')}</option>
        <option value="many">{t('processor.many')}</option>
      </Select>
      <TagsField
        label={t('processor.types', { name: label })}
        values={port.types}
        onChange={(types) => onChange({ ...port, types })}
        suggestions={usualTypes}
        placeholder={t('processor.typesAdd')}
      />
      {fault && <p className="text-xs text-danger">{fault}</p>}
    </fieldset>
  );
}
