import { Field, Input, Select } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { ColumnRow } from './column-row.tsx';
import { type Column, type MappingDraft, mappedColumns } from './mapping-draft.ts';

/** How the records of a file become entities: their type, what tells them apart and names them, and each column. */
export function MappingEditor({
  columns,
  draft,
  onChange,
}: {
  columns: readonly Column[];
  draft: MappingDraft;
  onChange(draft: MappingDraft): void;
}) {
  const { t } = useTexts();
  const shown = mappedColumns(columns);
  const names = shown.filter(({ looks }) => looks !== 'object' && looks !== 'list').map(({ name }) => name);
  return (
    <div>
      <div className="grid grid-cols-1 gap-3 border-b border-line px-4 py-3 sm:grid-cols-3">
        <Field label={t('import.type')} hint={t('import.typeAbout')}>
          {(ids) => (
            <Input
              {...ids}
              required
              maxLength={100}
              value={draft.type}
              onChange={({ target }) => onChange({ ...draft, type: target.value })}
            />
          )}
        </Field>
        <Field label={t('import.label')} hint={t('import.labelAbout')}>
          {(ids) => (
            <ColumnSelect
              {...ids}
              names={names}
              none={t('import.noLabel')}
              value={draft.label}
              onChange={(label) => onChange({ ...draft, label })}
            />
          )}
        </Field>
        <Field label={t('import.id')} hint={t('import.idAbout')}>
          {(ids) => (
            <ColumnSelect
              {...ids}
              names={names}
              none={t('import.noId')}
              value={draft.id}
              onChange={(id) => onChange({ ...draft, id })}
            />
          )}
        </Field>
      </div>
      <ul aria-label={t('import.columns')}>
        {shown.map((column) => {
          const use = draft.columns[column.name];
          if (!use) return null;
          return (
            <ColumnRow
              key={column.name}
              column={column}
              use={use}
              role={column.name === draft.id ? 'id' : column.name === draft.label ? 'label' : null}
              onChange={(next) => onChange({ ...draft, columns: { ...draft.columns, [column.name]: next } })}
            />
          );
        })}
      </ul>
    </div>
  );
}

function ColumnSelect({
  names,
  none,
  value,
  onChange,
  ...ids
}: {
  id: string;
  names: readonly string[];
  none: string;
  value: string;
  onChange(name: string): void;
}) {
  return (
    <Select {...ids} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{none}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  );
}
