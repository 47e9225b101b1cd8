import type { Issue } from '../../api/failure.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { Texts } from '../../messages/translate.ts';
import { type Finding, findingsOf } from './model/findings.ts';

/** What the node found, in our words where there are some, else in the node's; of a circle the steps that it goes through. */
export function findingWords(t: Texts['t'], { code, message }: Pick<Finding, 'code' | 'message'>): string {
  if (code === null) return message;
  const said = t(`flow.code.${code}`);
  return code === 'CYCLE_DETECTED' ? `${said} (${message.replaceAll(' -> ', ' → ')})` : said;
}

/** The same of what the node refused, with the step. */
export function useFindingWords(): (issue: Issue) => string {
  const { t } = useTexts();
  return (issue) =>
    findingsOf([issue])
      .map((finding) => {
        const where = finding.step ?? (finding.code === null ? finding.place : '');
        const said = findingWords(t, finding);
        return where === '' ? said : `${where}: ${said}`;
      })
      .join(' ');
}
