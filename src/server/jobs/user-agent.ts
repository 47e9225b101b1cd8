/** How the node names itself to processors; `service`: its name on the wire. */
export function userAgent(service: string): string {
  return `${service.charAt(0).toUpperCase()}${service.slice(1)}/1.0`;
}
