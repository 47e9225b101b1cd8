import { Maximize } from 'lucide-react';
import type { RefObject } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { saveAs } from '../../components/save-as.ts';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { pngOf, svgOf } from './export-svg.ts';
import { measures } from './graph-address.ts';
import type { Picture } from './picture.ts';
import type { Stage } from './stage.ts';

interface GraphActionsProps {
  picture: Picture;
  stage: RefObject<Stage | null>;
  most: number;
  onMost(most: number): void;
}

/** What can be done with the picture as a whole. */
export function GraphActions({ picture, stage, most, onMost }: GraphActionsProps) {
  const { t, number } = useTexts();
  const save = async (form: 'svg' | 'png') => {
    if (!stage.current) return toast(t('graph.noWebGl'));
    const svg = svgOf(picture, stage.current.places, stage.current.colours);
    try {
      saveAs(form === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg), `graph.${form}`);
    } catch {
      toast(t('graph.notSaved'));
    }
  };
  const group = t('graph.title');
  useCommands([
    { id: 'fit', label: t('graph.fit'), group, keys: ['f'], run: () => stage.current?.fit() },
    {
      id: 'nearer',
      label: t('graph.nearer'),
      group,
      keys: ['+', '='],
      goesOn: true,
      run: () => stage.current?.zoom(1 / 1.5),
    },
    { id: 'further', label: t('graph.further'), group, keys: ['-'], goesOn: true, run: () => stage.current?.zoom(1.5) },
    { id: 'arrange', label: t('graph.arrange'), group, keys: ['a'], run: () => stage.current?.arrange() },
    { id: 'graph-png', label: t('graph.saveAs', { form: 'PNG' }), group, run: () => void save('png') },
    { id: 'graph-svg', label: t('graph.saveAs', { form: 'SVG' }), group, run: () => void save('svg') },
  ]);
  return (
    <>
      <Select
        aria-label={t('graph.most')}
        title={t('graph.most')}
        className="w-auto"
        value={most}
        onChange={({ target }) => onMost(Number(target.value))}
      >
        {measures.map((one) => (
          <option key={one} value={one}>
            {t('graph.mostEach', { most: number(one) })}
          </option>
        ))}
      </Select>
      <IconButton label={t('graph.fit')} onClick={() => stage.current?.fit()}>
        <Maximize size={16} aria-hidden />
      </IconButton>
      <Button onClick={() => stage.current?.arrange()}>{t('graph.arrange')}</Button>
      <Menu trigger={<Button>{t('graph.save')}</Button>}>
        <MenuItem onSelect={() => void save('png')}>{t('graph.saveAs', { form: 'PNG' })}</MenuItem>
        <MenuItem onSelect={() => void save('svg')}>{t('graph.saveAs', { form: 'SVG' })}</MenuItem>
      </Menu>
    </>
  );
}
