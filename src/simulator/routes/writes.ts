import { notFound, parameterError } from '../refused-call.ts';
import { isRecord, type PlainRecord } from '../values.ts';
import { type Call, type Handler, pathParameter, type World } from '../world.ts';

function datatableOf({ plant }: World, call: Call): string {
  const object = pathParameter(call, 'objName');
  if (!plant.objects.get(object)) throw notFound('object', object);
  return object;
}

function bodyOf({ body }: Call): PlainRecord {
  if (!isRecord(body)) throw parameterError('the body must be an object');
  return body;
}

function recordMember(body: PlainRecord, name: string): PlainRecord {
  const member = body[name] ?? {};
  if (!isRecord(member)) throw parameterError(`${name} must be an object`);
  return member;
}

function entryUrl(object: string, entry: string | number): string {
  return `/openapi/datatable/v1/${encodeURIComponent(object)}/entries/${entry}`;
}

export const addDatatableEntry: Handler = (world, call) => {
  const object = datatableOf(world, call);
  const number = world.datatables.add(object, bodyOf(call));
  return { status: 201, headers: { location: entryUrl(object, number) } };
};

export const updateDatatableEntry: Handler = (world, call) => {
  const object = datatableOf(world, call);
  const body = bodyOf(call);
  world.datatables.update(object, recordMember(body, 'update'), recordMember(body, 'where'));
  return { status: 201, headers: { location: entryUrl(object, '') } };
};

export const deleteDatatableEntry: Handler = (world, call) => {
  world.datatables.remove(datatableOf(world, call), bodyOf(call));
  return { status: 204 };
};

export const startWorkflow: Handler = ({ workflows }, call) => {
  const diagramCode = pathParameter(call, 'diagramCode');
  if (!workflows.knows(diagramCode)) throw notFound('process', diagramCode);
  const { id } = workflows.start(diagramCode, bodyOf(call));
  return {
    status: 201,
    headers: { location: `/openapi/workflows/v1/${encodeURIComponent(diagramCode)}/${id}` },
  };
};
