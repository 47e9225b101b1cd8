import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Relationship } from '../model/content.ts';
import { type JsonMap, same } from '../model/json.ts';
import { PropertiesForm } from '../properties-form.tsx';

interface StatementDialogProps {
  relationship: Relationship;
  service: string;
  onTake(properties: JsonMap): void;
  onClose(): void;
}

/** What a relationship says of itself, as fields or JSON. It is taken over into what is not saved yet. */
export function StatementDialog({ relationship, service, onTake, onClose }: StatementDialogProps) {
  const { t } = useTexts();
  const before = (relationship.properties ?? {}) as JsonMap;
  const [properties, setProperties] = useState(before);
  const [fault, setFault] = useState(false);
  const { predicate, peer, peer_label } = relationship;
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={(fault || !same(before, properties)) && 'typed'}
      title={t('relationship.statement', { predicate, name: (peer_label || peer).slice(0, 200) })}
      about={t('relationship.statementAbout')}
      actions={
        <>
          {fault && (
            <p role="status" className="flex-1 self-center text-danger">
              {t('save.fault')}
            </p>
          )}
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            look="main"
            disabled={fault}
            onClick={() => {
              onTake(properties);
              onClose();
            }}
          >
            {t('action.take')}
          </Button>
        </>
      }
    >
      <PropertiesForm
        name="relationship"
        properties={properties}
        before={before}
        service={service}
        onChange={setProperties}
        onFault={setFault}
      />
    </Dialog>
  );
}
