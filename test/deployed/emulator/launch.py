"""Starts the emulator, completed in two places where it would lose what AWS keeps. See docs/emulator.md."""

import asyncio
import threading
import uuid

import ministack.services.lambda_svc as lambda_svc
import ministack.services.sns as sns
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


retry_partial_batches()
confirm_stack_subscriptions()
main()
