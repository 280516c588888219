"""Starts the emulator, completed where it would lose what AWS keeps, or refuse what AWS allows, or the
other way round. See docs/emulator.md."""

import asyncio
import json
import os
import re
import threading
import uuid
from email.utils import parseaddr

import ministack.core.iam_actions as iam_actions
import ministack.services.cloudwatch_logs as cloudwatch_logs
import ministack.services.dynamodb as dynamodb
import ministack.services.lambda_svc as lambda_svc
import ministack.services.scheduler as scheduler
import ministack.services.sns as sns
import ministack.services.sqs  # noqa: F401
from ministack.app import main
from ministack.services.cloudformation import provisioners


def retry_partial_batches():
    """Lambda sends a stream's batch again from the first record that the function names in batchItemFailures. The
    emulator reads that answer for SQS only, and moves on in the stream. Here such an answer fails the batch, which the
    emulator sends again, all of it: more repetitions than on AWS, never fewer."""
    execute = lambda_svc._execute_function

    def execute_and_read_failures(function, event):
        result = execute(function, event)
        body = result.get("body") if isinstance(result, dict) else None
        failures = body.get("batchItemFailures") if isinstance(body, dict) else None
        if not failures or not is_from_stream(event):
            return result
        return {**result, "error": True, "body": {"errorType": "PartialBatch", "errorMessage": "records were not taken"}}

    lambda_svc._execute_function = execute_and_read_failures


def is_from_stream(event):
    records = event.get("Records") if isinstance(event, dict) else None
    return bool(records) and records[0].get("eventSource") == "aws:dynamodb"


def confirm_stack_subscriptions():
    """SNS sends the handshake for every new HTTP subscription. The emulator does so for Subscribe, but not for the
    subscriptions of a stack, which then get nothing for ever."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SNS::Subscription"]
    create = handlers["create"]

    def create_and_confirm(logical_id, props, stack_name):
        physical_id, attributes = create(logical_id, props, stack_name)
        topic_arn = props.get("TopicArn", "")
        subscription = sns._find_subscription(topic_arn, physical_id)
        if subscription and not subscription["confirmed"]:
            subscription["token"] = str(uuid.uuid4())
            subscription["attributes"]["PendingConfirmation"] = "true"
            handshake = sns._send_subscription_confirmation(topic_arn, subscription)
            threading.Thread(target=asyncio.run, args=(handshake,), daemon=True).start()
        return physical_id, attributes

    handlers["create"] = create_and_confirm


def refuse_groups_that_exist():
    """A schedule group whose name is taken can't be made again: one that an earlier stack left blocks the next. Here it
    would be taken over without a word."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::Scheduler::ScheduleGroup"]
    create = handlers["create"]

    def create_unless_there(logical_id, props, stack_name):
        if props.get("Name") in scheduler._schedule_groups:
            raise ValueError(f"Schedule group {props['Name']} already exists.")
        return create(logical_id, props, stack_name)

    handlers["create"] = create_unless_there


def refuse_types_at_will():
    """AWS may refuse a resource for many reasons; here for one: the test names its type in a file."""
    for resource_type, handlers in provisioners._RESOURCE_HANDLERS.items():
        if "create" in handlers:
            handlers["create"] = refusing(resource_type, handlers["create"])


def refusing(resource_type, create):
    def create_or_refuse(*args, **named):
        file = os.environ["TEST_REFUSED_TYPE_FILE"]
        if os.path.exists(file) and open(file).read() == resource_type:
            raise ValueError(f"The test wants no {resource_type}.")
        return create(*args, **named)

    return create_or_refuse


def authorise_batches_by_their_parts():
    """IAM knows no actions of these names: who may publish may publish batches. The emulator asks for the former."""
    extract = iam_actions.extract_iam_action
    parts = {
        "sns:PublishBatch": "sns:Publish",
        "sqs:SendMessageBatch": "sqs:SendMessage",
        "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
    }

    def extract_part(*request, **named):
        action = extract(*request, **named)
        return parts.get(action, action)

    iam_actions.extract_iam_action = extract_part


def name_senders_as_policies_do():
    """IAM asks for the identity that a mail is sent from, here its domain; the emulator asks for all resources."""
    resource_of = iam_actions._ses_v2_resource_arn

    def identity_of(method, path, body, region, account_id):
        if path.endswith("/outbound-emails"):
            sender = parseaddr(json.loads(body or b"{}").get("FromEmailAddress", ""))[1]
            return f"arn:aws:ses:{region}:{account_id}:identity/{sender.rpartition('@')[2]}"
        return resource_of(method, path, body, region, account_id)

    iam_actions._ses_v2_resource_arn = identity_of


def name_log_groups_as_policies_do():
    """IAM knows a log group whose events are asked for by its ARN with `:*`, as CloudFormation gives it; the emulator leaves that off."""
    extract = iam_actions.extract_resource_arn

    def extract_group(service, method, path, headers, *request, **named):
        resource = extract(service, method, path, headers, *request, **named)
        asks = service == "logs" and headers.get("x-amz-target", "").endswith(".FilterLogEvents")
        return f"{resource}:*" if asks and ":log-group:" in resource else resource

    iam_actions.extract_resource_arn = extract_group


def tell_policies_the_partition_key():
    """A policy's condition may ask which partition an item is in (dynamodb:LeadingKeys); the emulator doesn't say."""
    context_of = iam_actions.dynamodb_service_context

    def context_with_leading_keys(body):
        context = context_of(body)
        partitions = list(partitions_of(json.loads(body or b"{}")))
        if partitions:
            context["dynamodb:LeadingKeys"] = partitions
        return context

    iam_actions.dynamodb_service_context = context_with_leading_keys


def keep_query_definitions():
    """A stack may have queries of Logs Insights for people; the emulator refuses a template with one."""
    provisioners._RESOURCE_HANDLERS["AWS::Logs::QueryDefinition"] = {
        "create": lambda logical_id, props, stack_name: (str(uuid.uuid4()), {}),
        "update": lambda physical_id, *rest: (physical_id, {}),
        "delete": lambda physical_id, props: None,
    }


def keep_alarms_of_expressions():
    """An alarm may watch an expression over several metrics; the emulator refuses a stack with one. Here such an alarm is kept, and
    watches a metric that nobody writes."""
    record_of = provisioners._cw_metric_alarm_record

    def record_of_any(name, props):
        if props.get("Metrics"):
            props = {**props, "Namespace": "Unwritten", "MetricName": name, "Metrics": None}
        return record_of(name, props)

    provisioners._cw_metric_alarm_record = record_of_any


def read_queries_for_text():
    """A query may look for a text between quotation marks; the emulator knows regular expressions alone, and leaves the filter out."""
    compile_filter = cloudwatch_logs._compile_insights_filter

    def compile_text(stage):
        text = re.sub(r'like\s+"([^"]*)"', lambda found: f"like /{re.escape(found[1]).replace('/', '.')}/", stage)
        return compile_filter(text)

    cloudwatch_logs._compile_insights_filter = compile_text


def partitions_of(request):
    """Of one item, of a query, of all items of a transaction or a batch."""
    for part in request.get("TransactItems", []):
        for operation in part.values():
            yield from partitions_of(operation)
    for name, batch in request.get("RequestItems", {}).items():
        for key in batch.get("Keys", []) if isinstance(batch, dict) else []:
            yield from partitions_of({"TableName": name, "Key": key})
    table = dynamodb._tables.get(request.get("TableName", ""))
    if not table:
        return
    hash_key = next(part["AttributeName"] for part in table["KeySchema"] if part["KeyType"] == "HASH")
    item = request.get("Key") or request.get("Item")
    if item:
        yield next(iter(item[hash_key].values()))
    asked = re.match(r"(#?\w+) = (:\w+)", request.get("KeyConditionExpression", ""))
    if asked and request.get("ExpressionAttributeNames", {}).get(asked[1], asked[1]) == hash_key:
        yield next(iter(request["ExpressionAttributeValues"][asked[2]].values()))


retry_partial_batches()
confirm_stack_subscriptions()
refuse_groups_that_exist()
authorise_batches_by_their_parts()
name_senders_as_policies_do()
name_log_groups_as_policies_do()
tell_policies_the_partition_key()
keep_query_definitions()
keep_alarms_of_expressions()
read_queries_for_text()
refuse_types_at_will()
# The addresses of queues and handshakes, which were made of GATEWAY_PORT by now, lead through the test's gate.
os.environ["GATEWAY_PORT"] = os.environ["LISTEN_PORT"]
main()
