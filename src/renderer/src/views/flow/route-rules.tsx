import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../components/button.tsx';
import { Input, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Json } from '../entity/model/json.ts';
import {
  doneTarget,
  type FlowDraft,
  type RouteRule,
  type Step,
  simpleWhere,
  whenOf,
  withRoutes,
} from './model/flow-draft.ts';
import { isTypable } from './model/route-value.ts';
import { RouteValueField } from './route-value.tsx';

interface RouteRulesProps {
  draft: FlowDraft;
  step: Step;
  names: readonly string[];
  onChange(draft: FlowDraft): void;
}

/** Which items go elsewhere: by a property that has a value. The first rule that fits counts. */
export function RouteRules({ draft, step, names, onChange }: RouteRulesProps) {
  const { t } = useTexts();
  const { routes, form } = step;
  const set = (next: RouteRule[]) => onChange(withRoutes(draft, step.name, next));
  const change = (i: number, rule: { where: Json } | { target: string }) =>
    set(routes.map((one, at) => (at === i ? { ...one, ...rule } : one)));
  const ends = form === 'gather' ? [] : [doneTarget];
  return (
    <fieldset className="space-y-2">
      <legend className="text-xs font-medium text-quiet">{t('flow.routes')}</legend>
      {routes.map(({ where, target }, i) => {
        const simple = simpleWhere(where);
        const place = { number: i + 1 };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name than their place
          <div key={i} className="flex flex-wrap items-center gap-1.5">
            {simple && isTypable(simple.equals) ? (
              <>
                <Input
                  aria-label={t('flow.routeProperty', place)}
                  className="grow basis-24"
                  value={simple.property}
                  onChange={(event) => change(i, { where: { ...simple, property: event.target.value } })}
                />
                <span aria-hidden>=</span>
                <RouteValueField
                  {...place}
                  value={simple.equals}
                  onChange={(equals) => change(i, { where: { ...simple, equals } })}
                />
              </>
            ) : (
              <code className="min-w-0 flex-1 truncate font-mono text-xs" title={JSON.stringify(where)}>
                {whenOf(where)}
              </code>
            )}
            <div className="flex items-center gap-1.5">
              <span aria-hidden>→</span>
              <Select
                aria-label={t('flow.routeTarget', place)}
                className="w-28"
                value={target}
                onChange={(event) => change(i, { target: event.target.value })}
              >
                {names.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
                {ends.map((name) => (
                  <option key={`end ${name}`} value={name}>
                    {t('flow.routeDone')}
                  </option>
                ))}
              </Select>
              <IconButton
                small
                label={t('flow.routeRemove', place)}
                onClick={() => set(routes.filter((_, at) => at !== i))}
              >
                <X size={13} aria-hidden />
              </IconButton>
            </div>
          </div>
        );
      })}
      <Button
        small
        onClick={() =>
          set([...routes, { where: { property: 'type', equals: '' }, target: step.target || (names[0] ?? '') }])
        }
      >
        <Plus size={13} aria-hidden />
        {t('flow.routeAdd')}
      </Button>
    </fieldset>
  );
}
