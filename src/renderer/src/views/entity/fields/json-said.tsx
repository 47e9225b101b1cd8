import { useTexts } from '../../../messages/texts.tsx';
import { faultText } from '../fault-text.ts';
import type { JsonFault } from '../model/json-fault.ts';

/** What is wrong with the JSON text above: in sight, also where the text is longer than the window. */
export function JsonSaid({ id, fault }: { id: string; fault: JsonFault }) {
  const { t } = useTexts();
  return (
    <p id={id} role="status" className="sticky bottom-0 rounded-md bg-danger-soft px-2 py-1 text-danger">
      {faultText(t, fault)}
    </p>
  );
}
