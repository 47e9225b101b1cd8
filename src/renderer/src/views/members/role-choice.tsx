import { Field, Input, Select } from '../../components/field.tsx';
import { dayOf } from '../../components/local-day.ts';
import { useTexts } from '../../messages/texts.tsx';
import { isGrantRole, type Roles } from './access.ts';

/** What a membership is to be: a role, and the last day on which it holds. */
export interface Terms {
  role: string;
  /** A day as the browser writes it, empty for no end. */
  until: string;
}

/** A role to choose, and when it ends. */
export function RoleChoice({ roles, terms, onChange }: { roles: Roles; terms: Terms; onChange(next: Terms): void }) {
  const { t } = useTexts();
  const names = Object.keys(roles).filter((role) => role === terms.role || (role !== 'public' && !isGrantRole(role)));
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      <Field label={t('members.role')}>
        {(ids) => (
          <Select {...ids} value={terms.role} onChange={({ target }) => onChange({ ...terms, role: target.value })}>
            {names.map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('members.until')} hint={t('members.untilAbout')}>
        {(ids) => (
          <Input
            {...ids}
            type="date"
            value={terms.until}
            min={dayOf(new Date())}
            onChange={({ target }) => onChange({ ...terms, until: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

/** The end of a day where the browser is, null for no end. */
export function endOfDay(until: string): Date | null {
  return until === '' ? null : new Date(`${until}T23:59:59`);
}

/** What the role is chosen to be at first: reading, where there is such a role. */
export function firstRole(roles: Roles): string {
  if (Object.hasOwn(roles, 'viewer')) return 'viewer';
  return Object.keys(roles).find((role) => role !== 'public' && !isGrantRole(role)) ?? 'owner';
}
