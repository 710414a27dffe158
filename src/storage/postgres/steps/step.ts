/** One change of the tables, run in one transaction. Steps are only ever added: a step that was released is not changed. */
export interface Step {
  name: string;
  /** The number of steps that a program must know to work with the tables after this one: smaller than its own number where older programs can run beside it. */
  oldestProgram: number;
  sql: string;
}
