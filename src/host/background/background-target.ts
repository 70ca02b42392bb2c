/** A place where turns may run that nobody waits for. */
export interface BackgroundTarget {
  /** `^[a-z][a-z0-9-]{0,31}$`; stored with what is to run there. */
  readonly name: string;
  /** What people read. */
  readonly label: string;
  /** Prefix of the surface whose conversations it serves: no other's. */
  readonly surface: string;
}
