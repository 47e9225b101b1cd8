import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { allowsOf, type Grants, grantsByType, sourceOf, verbOf } from './grants.ts';

interface GrantBoxesProps {
  grants: Grants;
  given: readonly string[];
  /** What cannot be taken away. */
  locked: readonly string[];
  onChange(given: string[]): void;
}

/** Every permission as a box, by what it is of; what another one implies is ticked and says through which. */
export function GrantBoxes({ grants, given, locked, onChange }: GrantBoxesProps) {
  const { t } = useTexts();
  const allows = allowsOf(grants);
  return (
    <div className="divide-y divide-line rounded-md border border-line">
      {grantsByType(grants).map(([type, list]) => (
        <fieldset key={type} className="gap-3 px-3 py-1.5 sm:flex">
          <legend className="float-left w-36 shrink-0 py-0.5 font-medium">
            {type === '*' ? t('roles.anything') : type}
          </legend>
          <div className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1">
            {list.map((grant) => {
              const own = given.includes(grant);
              const source = own ? undefined : sourceOf(grant, given, allows);
              const through = source && t('roles.through', { grant: source });
              return (
                <label
                  key={grant}
                  title={through ? `${grant}: ${through}` : grant}
                  className={classes('flex items-center gap-1.5 py-0.5', through && 'text-quiet')}
                >
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    aria-label={through ? `${grant} (${through})` : grant}
                    checked={own || source !== undefined}
                    disabled={source !== undefined || locked.includes(grant)}
                    onChange={() => onChange(own ? given.filter((one) => one !== grant) : [...given, grant])}
                  />
                  {verbOf(grant) === '*' ? t('roles.everyVerb') : verbOf(grant)}
                </label>
              );
            })}
          </div>
        </fieldset>
      ))}
    </div>
  );
}
